"""One run of the gate for one session of pytest, whichever of its processes begins it."""

import json
import os
import time
from pathlib import Path

from ragate.api import StoredRun, check, load_run
from ragate.cli.shown_here import shown_here
from ragate.errors import RagateError, StorageError
from ragate.models import Report, Verdict
from ragate.support.atomic_files import write_atomic

_LOOK_S = 0.1
_NEVER_S = 24 * 3600.0


def run_once(folder: Path, config: Path) -> StoredRun:
    """Return the run of this session, made here where no other process has begun it.

    Args:
        folder: Shared by the session's processes.

    Raises:
        RagateError: nothing could be run; every process of the session is told the same.
    """
    key = config.as_posix().replace("/", "_")
    outcome = folder / f"{key}.json"
    try:
        os.close(os.open(folder / f"{key}.begun", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        _wait_for(outcome)
    else:
        write_atomic(outcome, json.dumps(_outcome(config)).encode())
    told = json.loads(outcome.read_bytes())
    if "error" in told:
        raise StorageError(told["error"], remedy=told["remedy"])
    return load_run(told["run"], config=config)


def _outcome(config: Path) -> dict[str, str]:
    try:
        report = check(config)
    except RagateError as error:
        return {"error": error.message, "remedy": error.remedy, "config": str(config)}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - others of the session wait for a word
        told = f"unexpected {type(error).__name__}: {error}"
        return {"error": told, "remedy": "`ragate check` shows where", "config": str(config)}
    return {"run": report.run_id, "config": str(config)}


def _wait_for(outcome: Path) -> None:
    end = time.monotonic() + _NEVER_S
    while not outcome.exists() and time.monotonic() < end:
        time.sleep(_LOOK_S)


def verdict_lines(folder: Path) -> list[str]:
    """Return one line for each run of the session that did not pass."""
    lines = []
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_bytes())
        if "error" in told:
            lines.append(f"ragate: no decision: {told['error']}")
            continue
        report = shown_here(load_run(told["run"], config=told["config"]).report)
        if report.decision.verdict is not Verdict.PASSED:
            lines.append(verdict_line(report))
    return lines


def verdict_line(report: Report) -> str:
    """Return the line with which the console says the verdict."""
    from ragate.cli.shown_here import summary

    return f"ragate: {summary(report)}"
