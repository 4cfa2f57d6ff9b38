"""hallucination: the manual's example."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.claims.example import example
from tests.unit.metrics.judge.judged_factories import metric


def test_the_example_of_the_manual() -> None:
    score = example("hallucination")

    assert score.value == pytest.approx(1 / 3)
    assert score.reason == "1 of 3 claims made up: claim 3"
    assert metric("hallucination").info.direction is Direction.LOWER
