"""``pytest ragate.toml``: a test for each sample of the golden set, and one for the verdict."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ragate.api import StoredRun, render
from ragate.cli.shown_report import shown_here
from ragate.config import load_config
from ragate.dataset import read_dataset
from ragate.errors import RagateError
from ragate.models import Verdict
from ragate.pytest_plugin.session_folder import session_folder
from ragate.pytest_plugin.session_run import run_once
from ragate.renderers._numbers import TERMINAL
from ragate.renderers._samples import happened
from ragate.renderers.console._changed import long
from ragate.renderers.console._page import Page

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle

_PAGE = Page(colour=False, ci=False)


class GateError(Exception):
    """Why a test of the gate failed, as text to show."""


class GateFile(pytest.File):
    """A ragate.toml that was named on the command line."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            samples = read_dataset(load_config(self.path).dataset)
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
                what = _PAGE.words(happened(row, TERMINAL), 60)  # pytest's summary has one line
                raise GateError("\n".join([what, *long(row, _PAGE)]))


class VerdictItem(_GateItem):
    """The verdict over all samples: it fails where ``ragate check`` would not exit with 0."""

    def runtest(self) -> None:
        report = shown_here(self.parent.run().report)
        if report.decision.verdict is not Verdict.PASSED:
            raise GateError(render(report).rstrip("\n"))
