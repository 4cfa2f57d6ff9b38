"""A history as text, as Mermaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.pipeline.history.show_history import sparkline
from tests.unit.pipeline.history.history_factories import commit, content, scored


def test_the_console_shows_sparkline_mean_and_commit(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "smaller chunks")

    assert run(["history"]) == 0

    shown = capsys.readouterr().out
    assert "█▁" in shown
    assert " 0.750  -0.250   -0.250" in shown
    assert "smaller chunks" in shown


def test_mermaid_draws_a_chart(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")

    assert run(["history", "--format", "mermaid", "--metric", "mrr"]) == 0

    assert "  line [1.000000]" in capsys.readouterr().out


def test_equal_values_are_a_flat_line():
    assert sparkline([0.5, 0.5]) == "▄▄"
