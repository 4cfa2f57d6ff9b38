"""A container engine: podman or docker, called through its command line."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# The base of our Dockerfile: what every test in a container needs first.
BASE = "docker.io/library/debian:bookworm-slim"
# Where setup_engine.sh keeps its configuration and its base image.
FOLDER = Path(os.environ.get("RAGATE_ENGINE_DIR") or Path.home() / ".cache" / "ragate-engine")


class EngineError(RuntimeError):
    """A command of the engine failed; the message holds what it printed."""


@dataclass(frozen=True)
class Engine:
    """The program, and the variables that it needs on this machine."""

    program: str
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_podman(self) -> bool:
        return Path(self.program).name == "podman"

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables to start the engine with; only named ones reach a container.

        Its scratch is its own, on the disk: layers are large, and tests may write to memory.
        """
        ours = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        return {**ours, **self.env, **(extra or {})}

    def call(self, *arguments: str, check: bool = True, timeout: float = 120) -> str:
        """Run one command of the engine and return what it wrote on stdout.

        Raises:
            EngineError: it failed and `check` is set.
        """
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
        if check and done.returncode:
            shown = f"{self.program} {' '.join(arguments)}"
            raise EngineError(f"{shown}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def succeeds(self, *arguments: str) -> bool:
        """Run one command of the engine and return whether it exits with 0."""
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environment(),
            capture_output=True,
            timeout=30,
            check=False,
        )
        return done.returncode == 0

    def remove(self, container: str) -> None:
        """Stop and remove a container, if it is there."""
        self.call("rm", "--force", "--volumes", container, check=False)

    def has_image(self, name: str) -> bool:
        return bool(self.call("images", "--quiet", name, check=False))


def find_engine() -> Engine | str:
    """Return an engine that has run a container, or the reason why there is none.

    An engine can answer and still start nothing: no user namespaces, a read-only cgroup tree, no
    base image and no registry to get it from.
    """
    tried: Sequence[str] = ("docker", "podman")
    wanted = os.environ.get("RAGATE_ENGINE")
    reasons = []
    for program in (wanted,) if wanted else tried:
        path = shutil.which(program)
        if path is None:
            reasons.append(f"no {program}")
            continue
        engine = Engine(path, _configuration())
        reason = _trial(engine)
        if not reason:
            return engine
        reasons.append(f"{program} {reason}")
    return "; ".join(reasons) + " (tests/container/setup_engine.sh sets one up on Debian)"


def _trial(engine: Engine) -> str:
    """Return what keeps this engine from running a container, "" where it ran one."""
    try:
        engine.call("info", timeout=30)
    except (EngineError, OSError, subprocess.TimeoutExpired) as error:
        return f"does not answer: {_last_line(error)}"
    try:
        engine.call("run", "--rm", "--network", "none", BASE, "true")
    except (EngineError, OSError, subprocess.TimeoutExpired) as error:
        return f"answers, and runs no container: {_last_line(error)}"
    return ""


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


def _configuration() -> dict[str, str]:
    """Return the settings that setup_engine.sh wrote, unless the caller has settings of its own."""
    settings = FOLDER / "containers.conf"
    if "CONTAINERS_CONF" in os.environ or not settings.is_file():
        return {}
    return {"CONTAINERS_CONF": str(settings)}
