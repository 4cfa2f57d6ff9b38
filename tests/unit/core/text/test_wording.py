"""The sentences of a verdict."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.text.wording import listed, moved, number, odds
from ragate.models import MetricInfo, Needs, Rule
from tests.unit.core.decision_factories import judge, noisy_pair, row_of
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


GRADE = MetricInfo(name="faithfulness", low=1.0, high=5.0, unit="grade", needs=Needs.JUDGE)


def test_figures_are_said_in_three_decimals_without_a_negative_zero():
    info = MetricInfo(name="mrr")

    assert number(-0.0001) == "0.000"
    assert moved(info, 0.5, 0.5) == "mrr stayed at 0.500"
    assert moved(info, 0.9, 0.829) == "mrr fell by 0.071 (0.900 -> 0.829)"
    assert odds(0.7) == "in most runs"
    assert odds(0.004) == "in about 1 run in 250"
    assert odds(0.00005) == "in fewer than 1 run in 10,000"


def test_an_interval_is_in_the_metrics_own_unit():
    rng = np.random.default_rng(5)
    before, after = rng.integers(1, 6, (40, 3)), rng.integers(1, 6, (40, 1))
    grades = row_of(judge(noisy_pair(before, after, info=GRADE), RULE), "faithfulness")
    unit = row_of(judge(noisy_pair((before - 1) / 4, (after - 1) / 4), RULE), "faithfulness")

    assert grades.interval is not None
    assert unit.interval is not None
    assert grades.interval == pytest.approx([4 * bound for bound in unit.interval])


def test_sentences_about_grades_are_in_grades():
    info = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)

    def reason(before: np.ndarray, after: np.ndarray) -> str:
        pair = noisy_pair(1 + 4 * before, 1 + 4 * after, info=info)
        return row_of(judge(pair, RULE), "faithfulness").reason

    assert "a drop of 0.200 or more can be ruled out" in reason(*flips(200, 1, 1))
    assert "smaller than 0.040, from where on it counts" in reason(*flips(1000, 8))
    assert "a drop of 18 points is missed in one of five runs" in reason(*flips(40, 1, 1, cand=1))


def test_a_long_list_is_cut_and_the_rest_is_counted() -> None:
    assert listed([f"d{number}" for number in range(7)]) == "d0, d1, d2, d3, d4 and 2 more"
