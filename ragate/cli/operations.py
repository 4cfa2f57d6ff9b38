"""How to run: the operational environment variables, the terminal and the ``.env`` file."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ragate.errors import ConfigError
from ragate.files.find_files import find_config
from ragate.files.foreign_files import read_text, refuse_unwritable_path
from ragate.guards.escape import plain

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models.progress import Progress, Show
    from ragate.resources.operations import Operations
    from ragate.run.plan import RunPlan


_DOTENV_BYTES = 1024 * 1024
DOTENV = (".env", ".env.development", ".env.local")  # a later one wins

# Every variable that the core reads, with what it sets; the manual lists them from here, and from
# the extensions.
VARIABLES = {
    "RAGATE_CONFIG": "path of the configuration (`ragate.toml`, searched upwards); `--config` wins",
    "RAGATE_DATABASE_URL": "your own Postgres with pgvector (the [embedded one](database.md))",
    "RAGATE_STATE_DIR": "folder of runs, cache and database (`.ragate` beside the configuration)",
    "RAGATE_CONCURRENCY": "samples in flight at once, 1 to 1024 (`8`)",
    "RAGATE_TIMEOUT_S": "seconds for one sample (`60`), and [again](database.md) for model servers",
    "RAGATE_OFFLINE": "set it to let [recorded systems](replay.md) have known replies only",
    "RAGATE_DEBUG": "set it to print where an unexpected error happened",
    "JOB_COMPLETION_INDEX": "which [shard](forks.md) is collected, from 0; Kubernetes sets it",
    "NO_COLOR": "set it to switch off coloured output",
    "CI": "plain lines in place of a progress bar; `.env` is not read",
}

resume_option = click.option(
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="latest",
    default="",
    help="Go on with a run that was interrupted, by default the newest; ask nothing again.",
)


def in_ci(environment: Mapping[str, str] = os.environ) -> bool:
    """Return True under a CI service: ``CI`` is set and not false."""
    return environment.get("CI", "").lower() not in {"", "0", "false"}


def open_config(path: Path | None, given: Sequence[str] = ()) -> tuple[Config, Operations]:
    """Return the configuration and the operations' settings.

    Args:
        given: As of ``--set``.

    Raises:
        ConfigError: there is no ragate.toml, or it or a variable is wrong.
    """
    from ragate.config import load_config

    config = load_config(_config_file(path), given=given)
    return config, _operations_of(config.root)


def open_operations(path: Path | None) -> Operations:
    """Return the operations' settings, for a command that needs nothing of what ragate.toml says.

    Reading it takes a fifth of a second, which a list of runs has better use for.

    Raises:
        ConfigError: there is no ragate.toml, or a variable is wrong.
    """
    return _operations_of(_config_file(path).parent.resolve())


def _config_file(path: Path | None) -> Path:
    named = os.environ.get("RAGATE_CONFIG")
    found = find_config(Path.cwd(), named=path or (Path(named) if named else None))
    refuse_unwritable_path(found.absolute())
    return found


def _operations_of(root: Path) -> Operations:
    environment = dict(os.environ)
    if not in_ci(environment) and (exposed := exposed_dotenv(root)):
        say(f"warning: {exposed[0]}: {exposed[1]}")
    return operations(root, with_dotenv(root, environment))


def with_dotenv(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` with what the files `DOTENV` add; under CI none of them is read."""
    if in_ci(environment):
        return dict(environment)
    variables: dict[str, str] = {}
    for name in DOTENV:
        variables |= _dotenv(root / name)
    return {**variables, **environment}


def operations(root: Path, environment: Mapping[str, str]) -> Operations:
    """Return the operational settings that the environment gives."""
    from ragate.resources.operations import read_operations

    settings = read_operations(root, environment)
    return replace(settings, say=say, progress=progress_shown(quiet=in_ci(environment)))


def say(line: str) -> None:
    """Print one line about what is going on, beside the report."""
    click.echo(plain(line), err=True)


def _dotenv(path: Path) -> dict[str, str]:
    if not path.exists() or path.is_dir():  # some name their virtual environment so
        return {}
    from dotenv import dotenv_values

    from ragate.resources.operations import RUNS_URL

    text = read_text(path, error=ConfigError, max_bytes=_DOTENV_BYTES)
    variables = dotenv_values(stream=io.StringIO(text), interpolate=False)
    if RUNS_URL in variables:
        raise ConfigError(
            f"{path}: {RUNS_URL} is not read from there: a file that came with a checkout would "
            "send your runs to a server of its own",
            remedy="set it in the shell, or in the job's environment",
        )
    return {key: value for key, value in variables.items() if value is not None}


def exposed_dotenv(root: Path) -> tuple[str, str] | None:
    """Return that git does, or soon may, hold the secrets of a ``.env``, with what to do about it.

    None where there is no such file, no repository, or git ignores it. ``.env.development`` holds
    none where it is in git on purpose, as many projects have it.
    """
    from ragate.repository import git

    for name in (".env", ".env.local"):
        path = root / name
        top = git.repository(root) if path.is_file() else None
        if top is not None and git.is_tracked(top, path):
            mend = "ignore it in .gitignore, and replace every key that was in it"
            return f"{name} is in git, and its secrets with it", f"`git rm --cached {name}`, {mend}"
        if top is not None and not git.is_ignored(top, path):
            told = f"{name} is not ignored by git: its secrets may be committed"
            return told, f"add {name} to .gitignore"
    return None


def progress_shown(*, quiet: bool) -> Show:
    """Return what shows progress: a moving line on a terminal, lines now and then elsewhere."""
    if sys.stderr.isatty() and not quiet:
        return ProgressLine(sys.stderr).show
    from ragate.answers.milestones import Milestones

    return Milestones(say).show


def resumed_plan(plan: RunPlan, resume: str) -> RunPlan:
    """Return the plan of the run that goes on; the plan itself where none was asked for.

    Args:
        resume: As of ``--resume``.
    """
    if not resume:
        return plan
    from ragate.run.resume import resumed

    return resumed(plan, resume)


# How far a run is, as one line of a terminal that is rewritten.


OFTEN = 0.1  # seconds between two drawings
HELD_S = 1.0  # for which one of several stages has the line
_BAR = 20
_NARROW = 8  # a shorter bar shows nothing


class ProgressLine:
    """Draws the stage under way; its end stays as a line. Of several they take turns.

    What else is printed meanwhile takes the place of the line, which is then drawn anew: the cursor
    waits at its beginning, and `ragate.cli.streams` clears it.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        from ragate.answers.milestones import Pace

        self._stream = stream
        self._clock = clock
        self._pace = Pace(clock)
        self._drawn = float("-inf")
        self._stage = ""

    def show(self, progress: Progress) -> None:
        """Draw how far it is, unless that was done a moment ago."""
        text = self._text(progress)
        now, is_over = self._clock(), progress.is_over
        is_other = self._stage not in ("", progress.stage)
        if is_over or now - self._drawn >= (HELD_S if is_other else OFTEN):
            self._drawn, self._stage = now, "" if is_over else progress.stage
            self._stream.write(f"\r\x1b[K{text}" + ("\n" if is_over else "\r"))
            self._stream.flush()

    def _text(self, progress: Progress) -> str:
        columns = shutil.get_terminal_size().columns
        parts = " · ".join([progress.counted, *self._pace.words(progress)])
        width = min(_BAR, columns - len(f"{progress.stage} [] {parts}") - 1)
        if width >= _NARROW:
            fine, ended = (
                width * count // max(progress.total, 1)
                for count in (progress.done - progress.failed, progress.done)
            )
            bar = f"{'#' * fine}{'x' * (ended - fine)}{'.' * (width - ended)}"
            return f"{progress.stage} [{bar}] {parts}"
        if len(f"{progress.stage} {parts}") < columns:
            return f"{progress.stage} {parts}"
        return f"{progress.stage} {progress.counted}"[: max(columns - 1, 0)]
