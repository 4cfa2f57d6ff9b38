"""The page of a history."""

import re
from dataclasses import replace
from typing import Any

import pytest

from ragate.contrib.history import history_page
from ragate.contrib.history.history_page import as_page
from ragate.contrib.history.means import BaselineMeans
from ragate.contrib.history.read_history import History, HistoryPoint
from ragate.models import MetricInfo
from ragate.version import __version__
from tests.contrib.history.view_factories import HOSTILE, history_factory
from tests.unit.renderers.test_golden_reports import matches_golden, own_text


def page(history: History | None = None) -> str:
    return as_page(history or history_factory(), ())


def test_the_page_is_that_of_the_golden_file():
    matches_golden("history.html", own_text(page()).replace(__version__, "VERSION"))


def test_every_metric_has_a_picture():
    assert page().count("<svg") == 2


def test_no_script_and_no_connection_is_allowed():
    (policy,) = re.findall(r'content="(default-src[^"]*)"', page())

    assert "script-src &#39;none&#39;" in policy
    assert "connect-src &#39;none&#39;" in policy


def test_foreign_words_are_text():
    shown = page(history_factory(subject=HOSTILE, gate=HOSTILE))

    assert "<script" not in shown
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_a_history_that_holds_no_figure_still_has_a_page():
    history = history_factory()
    empty = History(history.gate, history.path, history.points[2:3])

    shown = page(empty)

    assert "No commit holds a figure." in shown
    assert "not measured" in shown


def test_a_picture_breaks_where_two_commits_do_not_compare(monkeypatch: pytest.MonkeyPatch):
    first, day = 1_767_268_800_000, 86_400_000  # noon of the first of January
    drawn: list[Any] = []

    def draw(*given: Any) -> str:
        drawn.append(given)
        return ""

    monkeypatch.setattr(history_page, "trend", draw)

    page()

    rows, runs, marks, _ = drawn[0]
    assert [row["segment"] for row in rows] == [0, 0, 1]
    assert [row["at"] for row in rows] == [first, first + 8 * day, first + 34 * day]
    assert marks == [first + 8 * day, first + 34 * day]
    assert runs == [{"at": first + 36 * day - 9 * 3_600_000, "value": 0.6}]


def test_a_run_of_the_first_moment_is_drawn():
    history = history_factory()
    runs = tuple(replace(run, created=history.points[0].commit.date) for run in history.runs)

    assert page(replace(history, runs=runs)).count("<circle") == page(history).count("<circle")


def test_a_long_name_of_a_metric_is_cut():
    points = history_factory().points
    held = [
        BaselineMeans({"x" * 90: mean}, 40, None, {"x" * 90: MetricInfo(name="x" * 90)}, ())
        for mean in (0.5, 0.9)
    ]
    moved = [HistoryPoint(at.commit, one) for at, one in zip(points, held, strict=False)]

    shown = page(History("docs", "b.json", tuple(moved)))

    assert {len(name) for name in re.findall("x{9,}", shown)} == {59}
