"""A history as text, as Mermaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.pipeline.history.show_history import as_mermaid, as_text, sparkline
from tests.unit.pipeline.history.history_factories import commit, content, scored
from tests.unit.pipeline.history.view_factories import HOSTILE, history_factory
from tests.unit.renderers.test_golden_reports import matches_golden


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


def test_the_console_reads_as_its_golden_file():
    matches_golden("history.txt", as_text(history_factory(), (), window=30) + "\n")


def test_the_summary_reads_as_its_golden_file():
    matches_golden("history.md", as_mermaid(history_factory(), ()) + "\n")


def test_foreign_words_do_not_reach_the_terminal_raw():
    shown = as_text(history_factory(subject=HOSTILE, gate=HOSTILE), (), window=30)

    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_long_subject_does_not_break_its_line():
    history = history_factory(subject="a long subject " * 9)

    (line,) = [each for each in as_text(history, (), window=30).splitlines() if "-0.050" in each]

    assert len(line) <= 80
