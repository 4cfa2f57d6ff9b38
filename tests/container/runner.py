"""Runs our action the way the GitHub runner runs a container action, or without a container.

    result = run_step(ROOT, workspace=checkout, event_name="pull_request", event=payload,
                      inputs={"mode": "check"}, token="ghs_x", api_url=stub.url)
    assert result.outputs["verdict"] == "passed"

Both ways give the step the same variables and files, and read its log and files by the same rules
(`grammar`). Without an engine the step is ``python -P -m ragate.github`` in a process: a fork of
one that has imported it (`tests.servers.forks`), fast, and what most tests need. The rules come
from actions/runner: ``ContainerActionHandler``, ``Handler``, ``GitHubContext``,
``DockerCommandManager``, ``FileCommandManager``.

Not modelled: pre and post steps, problem matchers, OIDC, caches, and the engine's socket, which the
real runner mounts into every container action.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.container.engine import Engine
from tests.container.grammar import SUMMARY_LIMIT, Command, Log, parse_pairs, read_log
from tests.container.variables import Action, Layout, read_action, step_variables
from tests.servers.forks import CAN_FORK, ForkedProcess, start

TOKEN = "ghs_" + "t0ken" * 7
COMMAND = ("-P", "-m", "ragate.github")


@dataclass
class StepResult:
    """What the runner knows of a step when it has ended."""

    exit_code: int
    outputs: dict[str, str]
    summary: str
    commands: list[Command]
    log: str
    raw_log: str
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    exported: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    first_line_seconds: float | None = None

    @property
    def conclusion(self) -> str:
        """Return ``success`` or ``failure``: all that a workflow sees of the exit code."""
        return "success" if self.exit_code == 0 and not self.errors else "failure"

    def annotations(self, *levels: str) -> list[Command]:
        """Return the annotations (``error``, ``warning``, ``notice``), or those of some levels."""
        wanted = levels or ("error", "warning", "notice")
        return [command for command in self.commands if command.name in wanted]


def run_step(
    action_dir: Path,
    *,
    workspace: Path,
    event_name: str = "pull_request",
    event: Mapping[str, Any] | None = None,
    inputs: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
    token: str = TOKEN,
    repository: str = "octo-org/handbook",
    sha: str = "0" * 40,
    ref: str = "refs/pull/7/merge",
    run_id: int = 1,
    run_attempt: int = 1,
    actor: str = "octocat",
    api_url: str = "https://api.github.com",
    github: Mapping[str, str] | None = None,
    engine: Engine | None = None,
    network: str | None = None,
    image: str | None = None,
    hosts: Mapping[str, str] | None = None,
    entrypoint: Sequence[str] | None = None,
    timeout: float = 300,
) -> StepResult:
    """Run the action once and return what the runner makes of it.

    Args:
        action_dir: The folder of action.yml.
        workspace: The checkout; ``/github/workspace`` in the container.
        event: The webhook's payload (``GITHUB_EVENT_PATH``).
        inputs: The step's ``with:``; what is absent has the default of action.yml.
        env: The step's ``env:``.
        github: More ``GITHUB_*`` variables by context name: ``head_ref``, ``base_ref``, …
        engine: Where to run the image; None runs the program in a process of this machine.
        network: The job's network, which the job's services are on.
        image: An image built before; with an engine it is needed.
        hosts: Names the container is to resolve, as ``--add-host`` takes them.
        entrypoint: A program and its arguments in place of the image's own, or of `COMMAND`.

    Raises:
        TimeoutError: the step ran longer than `timeout` seconds; it has been stopped.
    """
    action = read_action(action_dir)
    context = {
        "event_name": event_name,
        "repository": repository,
        "sha": sha,
        "ref": ref,
        "run_id": str(run_id),
        "run_attempt": str(run_attempt),
        "actor": actor,
        "api_url": api_url,
        **(github or {}),
    }
    # A container writes as root, whose files another account cannot remove.
    with TemporaryDirectory(prefix="runner-temp-", ignore_cleanup_errors=True) as temp:
        layout = Layout(Path(temp), workspace.resolve())
        layout.create(event or {})
        variables = step_variables(
            action, layout, given=inputs or {}, env=env or {}, context=context, token=token
        )
        if engine is None:
            host = _host(variables)
            command = entrypoint or ([] if CAN_FORK else [sys.executable, *COMMAND])
            process = _Process(command, variables=host, folder=layout.workspace)
        else:
            process = _container(
                engine, action, layout, variables, image, network, hosts or {}, entrypoint
            )
        process.run(timeout)
        return _result(process, layout, token, action.unexpected(inputs or {}))


@dataclass
class _Process:
    """A step that runs; one without a command is a fork of what has imported the program."""

    command: Sequence[str]
    variables: Mapping[str, str]
    folder: Path | None = None
    container: tuple[Engine, str] | None = None
    exit_code: int = -1
    raw: str = ""
    seconds: float = 0.0
    first_line: float | None = None

    def run(self, timeout: float) -> None:
        """Run it to its end. stdout and stderr come in one stream, as in the log."""
        late = threading.Event()
        started = time.monotonic()
        with self._start() as process:
            timer = threading.Timer(timeout, self._stop, (process, late))
            timer.start()
            try:
                assert process.stdout is not None
                first = process.stdout.readline()
                self.first_line = time.monotonic() - started if first else None
                self.raw = (first + process.stdout.read()).decode("utf-8", "replace")
                self.exit_code = process.wait()
                self.seconds = time.monotonic() - started
            finally:
                timer.cancel()
                if process.poll() is None:
                    self._stop(process)
        if late.is_set():
            raise TimeoutError(f"the step ran longer than {timeout} s:\n{self.raw}")

    def _start(self) -> subprocess.Popen[bytes] | ForkedProcess:
        if not self.command:
            return start("ragate.github", folder=self.folder, variables=self.variables)
        return subprocess.Popen(
            self.command,
            cwd=self.folder,
            env=dict(self.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _stop(
        self, process: subprocess.Popen[bytes] | ForkedProcess, late: threading.Event | None = None
    ) -> None:
        """End what is left of the step: its container, or every process of its session."""
        if late is not None:
            late.set()
        if self.container is not None:
            engine, name = self.container
            engine.remove(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _host(variables: Mapping[str, str]) -> dict[str, str]:
    """A process gets what a login shell has, and the step's variables; nothing of the caller's."""
    keep = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "COVERAGE_PROCESS_START")
    return {**{key: os.environ[key] for key in keep if key in os.environ}, **variables}


def _container(
    engine: Engine,
    action: Action,
    layout: Layout,
    variables: Mapping[str, str],
    image: str | None,
    network: str | None,
    hosts: Mapping[str, str],
    entrypoint: Sequence[str] | None,
) -> _Process:
    if image is None:
        raise ValueError("a step in a container needs an image; the fixture `image` builds ours")
    inside = {key: layout.inside(value) for key, value in variables.items()}
    name = f"step-{uuid.uuid4().hex[:12]}"
    program = list(entrypoint or ([action.entrypoint] if action.entrypoint else []))
    command = [engine.program, "run", "--name", name, "--rm", "--workdir", "/github/workspace"]
    command += [part for key in sorted(inside) for part in ("--env", key)]
    command += [
        part for host, address in hosts.items() for part in ("--add-host", f"{host}:{address}")
    ]
    command += ["--network", network] if network else []
    command += [part for mount in layout.mounts() for part in ("--volume", mount)]
    command += ["--entrypoint", program[0]] if program else []
    command += [image, *program[1:]]
    return _Process(command, variables=engine.environment(inside), container=(engine, name))


def _result(process: _Process, layout: Layout, token: str, warnings: list[str]) -> StepResult:
    log = read_log(process.raw, masks=[token] if token else [])
    errors = list(log.errors)
    pairs: dict[str, dict[str, str]] = {}
    for kind in ("output", "env", "state"):
        pairs[kind], wrong = parse_pairs(layout.read(kind))
        if wrong is not None:
            errors.append(f"Unable to process file command '{kind}' successfully. {wrong}")
    return StepResult(
        exit_code=process.exit_code,
        outputs=pairs["output"],
        summary=_summary(layout, log, errors),
        commands=log.commands,
        log=log.text(),
        raw_log=process.raw,
        errors=errors,
        warnings=warnings,
        exported=pairs["env"],
        seconds=process.seconds,
        first_line_seconds=process.first_line,
    )


def _summary(layout: Layout, log: Log, errors: list[str]) -> str:
    """Return the job summary; one that is too large is dropped, and the step goes on."""
    text = layout.read("step_summary")
    size = len(text.encode())
    if size > SUMMARY_LIMIT:
        log.lines.append(
            f"$GITHUB_STEP_SUMMARY upload aborted: {size} bytes, the limit is {SUMMARY_LIMIT}"
        )
        return ""
    return log.hide(text)
