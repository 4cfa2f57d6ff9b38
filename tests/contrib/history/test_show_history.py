"""A history as text, as Mermaid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.contrib.history.means import BaselineMeans
from ragate.contrib.history.read_history import HistoryPoint
from ragate.contrib.history.show_history import (
    _folded,
    as_json,
    as_mermaid,
    as_text,
    counted_commits,
    signed,
    sparkline,
)
from tests.contrib.history.history_factories import commit, content, scored
from tests.contrib.history.view_factories import HOSTILE, history_factory
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
    matches_golden("history.txt", as_text(history_factory(), ()) + "\n")


def test_the_summary_reads_as_its_golden_file():
    matches_golden("history.md", as_mermaid(history_factory(), ()) + "\n")


def test_foreign_words_do_not_reach_the_terminal_raw():
    shown = as_text(history_factory(subject=HOSTILE, gate=HOSTILE), ())

    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_no_line_is_wider_than_a_terminal():
    history = history_factory()
    names = ["number_unit_support.checked", "embedded_context_relevance.checked", "m" * 60]
    run = replace(history.runs[0], means=dict.fromkeys(names, 0.5) | {"mrr": 0.6})
    held = BaselineMeans(dict.fromkeys(names, 0.25), 40, None, {}, ())
    point = HistoryPoint(history.points[-1].commit, held)

    shown = as_text(replace(history, points=(point,), runs=(run,)), ()).splitlines()

    assert max(map(len, shown)) <= 80
    assert sum("number_unit_support.checked 0.500" in line for line in shown) == 1


def test_a_run_shows_what_differs_from_main():
    history = history_factory()
    run = replace(history.runs[0], means={"mrr": 0.6, "ndcg@10": 0.72})

    (line,) = as_text(replace(history, runs=(run,)), ()).splitlines()[-1:]

    assert line.endswith("failed  mrr 0.600")


def test_a_run_like_main_says_so():
    history = history_factory()
    run = replace(history.runs[0], status="passed", means={"mrr": 0.9, "ndcg@10": 0.72})

    shown = as_text(replace(history, runs=(run,)), ())

    assert shown.endswith("passed  as the baseline")


def test_a_long_subject_does_not_break_its_line():
    history = history_factory(subject="a long subject " * 9)

    (line,) = [each for each in as_text(history, ()).splitlines() if "-0.050" in each]

    assert len(line) <= 80


def test_a_metric_that_gates_stands_before_the_others_and_an_arrow_tells_its_way() -> None:
    history = replace(history_factory(), gated=frozenset({"ndcg@10"}))

    lines = as_text(history, ()).splitlines()

    names = [line.split()[0] for line in lines if line.startswith(("mrr", "ndcg@10"))]
    assert names == ["ndcg@10", "mrr"]
    assert next(line for line in lines if line.startswith("ndcg@10")).endswith("+0.020 ↑")


def test_a_long_subject_is_cut_to_48_letters():
    lines = as_text(history_factory(subject="x" * 60), ["mrr"])

    assert "  " + "x" * 47 + "…\n" in lines


def test_a_chart_leaves_room_beside_its_figures():
    history = history_factory()
    flat = replace(history, points=history.points[:1])

    assert "y-axis 0.735000 --> 0.915000" in as_mermaid(history, ["mrr"])
    assert "y-axis 0.750000 --> 0.850000" in as_mermaid(flat, ["mrr"])


def test_a_change_that_reads_as_none_has_no_minus():
    assert (signed(-0.0001), signed(-0.001), signed(None)) == ("+0.000", "-0.001", "")


def test_a_line_is_broken_between_words_alone():
    assert list(_folded("x" * 70 + " left-to-right")) == ["x" * 70, "      left-to-right"]


def test_json_is_laid_out_for_people():
    assert as_json(history_factory(), []).startswith('{\n  "schema_version": 1,\n')


def test_commits_are_counted_in_words():
    assert [counted_commits(count) for count in (1, 2)] == ["1 commit", "2 commits"]
