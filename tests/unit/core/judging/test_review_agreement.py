"""A metric's changes beside people's words."""

from __future__ import annotations

import pytest

from ragate.core.judging.review_agreement import review_agreement
from ragate.models import ReviewVerdict

BETTER, WORSE, SAME = ReviewVerdict.BETTER, ReviewVerdict.WORSE, ReviewVerdict.SAME


def test_a_metric_that_moves_as_people_say_agrees_fully():
    found = review_agreement([WORSE, SAME, BETTER], [-0.5, 0.0, 0.1])

    assert (found.agreement, found.kappa) == (1.0, 1.0)
    assert (found.worse, found.found, found.others, found.false_alarms) == (1, 1, 2, 0)


def test_what_it_misses_and_where_it_cries_wolf_are_counted_apart():
    found = review_agreement([WORSE, WORSE, SAME, BETTER], [0.0, -0.1, -0.1, -0.2])

    assert (found.worse, found.found) == (2, 1)
    assert (found.others, found.false_alarms) == (2, 2)
    assert found.agreement == pytest.approx(0.25)


def test_what_it_did_not_score_counts_neither_way():
    found = review_agreement([WORSE, SAME], [None, 0.0])

    assert (found.n, found.unscored, found.worse) == (1, 1, 0)


def test_without_a_label_there_are_no_figures():
    found = review_agreement([], [])

    assert (found.n, found.agreement, found.kappa) == (0, None, None)
