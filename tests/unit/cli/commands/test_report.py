"""``ragate report --failed``: fewer samples, and the same verdict."""

from __future__ import annotations

import pytest

from ragate.cli.commands.report import only_failed
from ragate.cli.main import run
from tests.factories import report_factory, sample_row_factory

ROWS = tuple(
    sample_row_factory(change, change=change)
    for change in ("worse", "better", "mixed", "same", "failed", "new")
)


def test_only_samples_that_got_worse_or_failed_are_listed():
    shown = only_failed(report_factory(samples=ROWS))

    assert [row.sample_id for row in shown.samples] == ["worse", "mixed", "failed"]


def test_the_verdict_stays():
    report = report_factory(samples=ROWS, left_out=3)

    assert only_failed(report).amended(samples=ROWS) == report


def test_one_sample_is_explained_whole(capsys: pytest.CaptureFixture[str]):
    assert run(["report", "--failed", "--explain", "q001"]) == 2

    assert "leave --failed out" in capsys.readouterr().err
