"""The page of a history."""

import re

from ragate.contrib.history.history_page import as_page
from ragate.contrib.history.read_history import History
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
