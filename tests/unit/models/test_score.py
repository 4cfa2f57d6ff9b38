"""Scores are shared where they are equal."""

from __future__ import annotations

import math

from ragate.models import Score
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
