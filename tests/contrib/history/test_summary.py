"""A history in a job's summary."""

from ragate.contrib.history.read_history import History
from ragate.contrib.history.show_history import as_summary
from tests.contrib.history.view_factories import HOSTILE, history_factory
from tests.unit.renderers.test_golden_reports import matches_golden


def test_the_summary_reads_as_its_golden_file():
    matches_golden("history_summary.md", as_summary(history_factory()) + "\n")


def test_no_word_of_a_commit_is_in_it():
    shown = as_summary(history_factory(subject=HOSTILE, gate=HOSTILE))

    assert "<script" not in shown
    assert "<img" not in shown
    assert "smaller chunks" not in as_summary(history_factory())


def test_a_history_without_figures_says_so():
    history = history_factory()
    empty = History(history.gate, history.path, history.points[2:3])

    assert "No commit holds a figure." in as_summary(empty)
