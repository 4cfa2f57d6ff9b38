"""How to run, as opposed to how to judge."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ragate.errors import ConfigError, StorageError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import refuse_unwritable_path
from ragate.models.progress import Show, unshown
from ragate.resources.run_labels import RunLabels

STATE = ".ragate"
RUNS_URL = "RAGATE_RUNS_URL"


@dataclass(frozen=True)
class Operations:
    """How to run, as opposed to how to judge: from the environment and the command line.

    Attributes:
        environment: Where the keys are; nothing else of it is read here.
        state: The folder for runs and caches.
        database_url: An own Postgres; "" starts the embedded one.
        runs_url: The run store that machines share; "" keeps runs in the state folder alone.
        offline: Recorded systems get the replies that are known, and no others.
        commit: What is judged, where it is not the checked-out commit: a pull request's head.
        unjudged: Why no judge may be asked, "" where it may.
        live: The code under test is asked in this very process, as a test may wish.
        labels: What is noted with the run.
        own_files: What ragate itself writes in the work tree, beside `state`: no change of it.
        say: Prints a line. progress: Shows how far a stage is, as often as it is told.
    """

    environment: Mapping[str, str]
    state: Path
    database_url: str = ""
    runs_url: str = field(default="", repr=False)
    offline: bool = False
    commit: str = ""
    unjudged: str = ""
    live: bool = False
    labels: RunLabels = field(default_factory=RunLabels)
    own_files: tuple[Path, ...] = ()
    concurrency: int = 8
    timeout_s: float = 60.0
    say: Callable[[str], None] = lambda _line: None
    progress: Show = unshown


# How to run, as the environment says it: the variables that docs/commands.md lists.


def read_operations(root: Path, environment: Mapping[str, str]) -> Operations:
    """Return the operational settings that the environment gives.

    Args:
        root: Where the state folder is, unless a variable names another.

    Raises:
        ConfigError: a variable holds no number, or one that makes no sense.
    """
    state = environment.get("RAGATE_STATE_DIR", "")
    refuse_unwritable_path(Path(state))
    if state and (root / state).is_file():
        raise ConfigError(
            f"RAGATE_STATE_DIR = {state!r}: a file stands there",
            remedy="name a folder, which is made where it is not there",
        )
    return Operations(
        environment=environment,
        state=(root / state).resolve() if state else root / STATE,
        database_url=environment.get("RAGATE_DATABASE_URL", ""),
        runs_url=environment.get(RUNS_URL, "").strip(),
        offline=environment.get("RAGATE_OFFLINE", "").lower() not in {"", "0", "false"},
        concurrency=round(_number(environment, "RAGATE_CONCURRENCY", 8, least=1, most=1024)),
        timeout_s=_number(environment, "RAGATE_TIMEOUT_S", 60.0, least=0.001, most=86_400),
    )


def ignore_itself(state: Path) -> None:
    """Let git ignore the state folder, which holds full texts; one of another name is its owner's.

    A folder that cannot be written is left to whoever needs it.
    """
    path = state / ".gitignore"
    if state.name == STATE and not os.path.lexists(path):
        with suppress(StorageError):
            write_atomic(path, b"*\n")


def _number(
    environment: Mapping[str, str], name: str, default: float, *, least: float, most: float
) -> float:
    text = environment.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if least <= value <= most:
        return value
    raise ConfigError(
        f"{name} = {text!r}: must be a number from {least:g} to {most:g}",
        remedy=f"set it so, or leave it out for {default:g}",
    )
