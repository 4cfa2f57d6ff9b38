"""noise_sensitivity: the manual's example."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.claims.example import example
from tests.unit.metrics.judge.judged_factories import metric


def test_the_example_of_the_manual() -> None:
    score = example("noise_sensitivity")

    assert score.value == pytest.approx(0.0)
    assert score.reason == "0 of 3 claims out of contexts and in no reference"
    assert metric("noise_sensitivity").info.direction is Direction.LOWER
