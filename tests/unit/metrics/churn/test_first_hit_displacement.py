"""first_hit_displacement by hand."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.churn.churn_pairs import churn, one
from tests.unit.metrics.metric_factories import make


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("abc", "acb", 0.0),
        ("abc", "bca", 2.0),
        ("abc", "bbca", 2.0),
        ("abc", "xyz", 3.0),
        ("abc", "x", 3.0),
        ("a", "vwxyz", 5.0),
        ("abc", "", 3.0),
    ],
)
def test_the_first_document_of_the_baseline_is_looked_for(before, now, expected):
    assert one("first_hit_displacement", before, now).value == expected


def test_a_sample_on_which_the_baseline_found_nothing_is_left_out():
    score = churn("first_hit_displacement", {"q": "", "r": "ab"}, {"q": "a", "r": "ba"})

    assert (score.value, score.reason) == (1.0, "1 of 2 samples left out")


def test_it_is_counted_in_ranks_and_lower_is_better():
    info = make("first_hit_displacement").info

    assert (info.unit, info.direction, info.low, info.high) == ("ranks", Direction.LOWER, 0, None)
