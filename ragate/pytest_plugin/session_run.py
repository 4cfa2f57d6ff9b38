"""One run of the gate for one session of pytest, whichever of its processes begins it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragate.answers.golden_set import golden_set
from ragate.api import StoredRun, check, load_run, render
from ragate.cli.shown_report import shown_here, summary
from ragate.config import load_config
from ragate.errors import RagateError, StorageError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import file_bytes
from ragate.models import Report, Verdict
from ragate.pytest_plugin.session_folder import session_folder
from ragate.renderers._samples import happened
from ragate.renderers.console import Page, long

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle


_ENDED = {
    "error": "the process that ran the gate for this session ended in the middle",
    "remedy": "`ragate check` shows why",
}


def run_once(folder: Path, config: Path, *, live: bool) -> StoredRun:
    """Return the run of this session, made here where no other process has begun it.

    Args:
        folder: Shared by the session's processes.
        live: Ask the code under test in this process.

    Raises:
        RagateError: nothing could be run; every process of the session is told the same.
    """
    import fcntl

    key = config.as_posix().replace("/", "_")
    outcome, begun = folder / f"{key}.json", folder / f"{key}.begun"
    with begun.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel undoes it with the process, however it ends
        if not outcome.exists():
            is_first = begun.stat().st_size == 0
            lock.write(b"begun\n")
            lock.flush()
            found = _outcome(config, live=live) if is_first else _ENDED | {"config": str(config)}
            write_atomic(outcome, json.dumps(found).encode())
    told = json.loads(file_bytes(outcome))
    if "error" in told:
        raise StorageError(told["error"], remedy=told["remedy"])
    return load_run(told["run"], config=config)


def _outcome(config: Path, *, live: bool) -> dict[str, str]:
    try:
        report = check(config, live=live)
    except RagateError as error:
        return {"error": error.message, "remedy": error.remedy, "config": str(config)}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - others of the session wait for a word
        told = f"unexpected {type(error).__name__}: {error}"
        return {"error": told, "remedy": "`ragate check` shows where", "config": str(config)}
    return {"run": report.run_id, "config": str(config)}


def verdict_lines(folder: Path) -> list[str]:
    """Return one line for each run of the session that did not pass."""
    lines = []
    for path in sorted(folder.glob("*.json")):
        told = json.loads(file_bytes(path))
        if "error" in told:
            lines.append(f"ragate: no decision: {told['error']}")
            continue
        report = shown_here(load_run(told["run"], config=told["config"]).report)
        if report.decision.verdict is not Verdict.PASSED:
            lines.append(verdict_line(report))
    return lines


def verdict_line(report: Report) -> str:
    """Return the line with which the console says the verdict."""
    return f"ragate: {summary(report)}"


# ``pytest ragate.toml``: a test for each sample of the golden set, and one for the verdict.


_PAGE = Page(colour=False, ci=False)


class GateError(Exception):
    """Why a test of the gate failed, as text to show."""


class GateFile(pytest.File):
    """A ragate.toml that was named on the command line."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            samples = golden_set(load_config(self.path))
        except RagateError as error:
            raise self.CollectError(f"{error.message}\n  -> {error.remedy}") from None
        for sample in samples:
            yield SampleItem.from_parent(self, name=sample.id)
        yield VerdictItem.from_parent(self, name="verdict")

    def run(self) -> StoredRun:
        live = bool(self.config.getoption("--ragate-live"))
        return run_once(session_folder(self.config), self.path, live=live)


class _GateItem(pytest.Item):
    parent: GateFile

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: "TracebackStyle | None" = None,
    ) -> "str | TerminalRepr":
        error = excinfo.value
        if isinstance(error, GateError):
            return str(error)
        if isinstance(error, RagateError):
            return f"{error.message}\n  -> {error.remedy}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, f"{self.path.name}::{self.name}"


class SampleItem(_GateItem):
    """One sample: it fails where the gate failed and this sample is among those that got worse."""

    def runtest(self) -> None:
        report = shown_here(self.parent.run().report)
        if report.decision.verdict is not Verdict.FAILED:
            return
        failing = {row.sample_id for row in report.decision.must_pass if row.is_red}
        for row in report.samples:
            if row.sample_id == self.name and (row.got_worse or self.name in failing):
                what = _PAGE.words(happened(row, wide=False), 60)  # pytest's summary has one line
                raise GateError("\n".join([what, *long(row, _PAGE)]))


class VerdictItem(_GateItem):
    """The verdict over all samples: it fails where ``ragate check`` would not exit with 0."""

    def runtest(self) -> None:
        report = shown_here(self.parent.run().report)
        if report.decision.verdict is not Verdict.PASSED:
            raise GateError(render(report).rstrip("\n"))
