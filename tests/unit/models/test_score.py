"""Scores are shared where they are equal, and a metric knows which way is good."""

from __future__ import annotations

import math

from ragate.models import Direction, MetricInfo, Score
from ragate.models.score import shared_scores


def test_equal_scores_are_one_object() -> None:
    one, other = (shared_scores({"recall@5": Score("recall@5", 0.5)}) for _ in range(2))
    assert one is other


def test_a_negative_zero_keeps_its_sign() -> None:
    shared_scores({"x": Score("x", 0.0)})
    value = shared_scores({"x": Score("x", -0.0)})["x"].value
    assert value is not None
    assert math.copysign(1, value) == -1


def test_scores_under_another_name_are_another_row() -> None:
    score = Score("x", 0.25)
    assert list(shared_scores({"x": score})) == ["x"]
    assert list(shared_scores({"y": score})) == ["y"]


def test_a_metric_without_an_end_has_no_worst_value() -> None:
    latency = MetricInfo(name="latency", high=None, direction=Direction.LOWER)

    assert latency.worst is None
    assert latency.best == 0.0


def test_where_lower_is_better_a_mark_is_reached_from_above() -> None:
    refusal = MetricInfo(name="false_refusal", direction=Direction.LOWER)

    assert refusal.reaches(0.2, 0.2)
    assert not refusal.reaches(0.2, 0.3)
    assert (refusal.worst, refusal.best) == (1.0, 0.0)


def test_goodness_goes_from_the_worst_to_the_best() -> None:
    grade = MetricInfo(name="correctness", low=1.0, high=5.0)
    refusal = MetricInfo(name="false_refusal", direction=Direction.LOWER)

    assert [grade.goodness(value) for value in (1.0, 4.0, 5.0)] == [0.0, 0.75, 1.0]
    assert refusal.goodness(0.25) == 0.75
