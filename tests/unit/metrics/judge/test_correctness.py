"""Correctness is a grade."""

from __future__ import annotations

from tests.unit.metrics.judge.judged_factories import metric


def test_correctness_is_a_grade() -> None:
    info = metric("correctness").info

    assert (info.low, info.high, info.unit) == (1.0, 5.0, "grade")
