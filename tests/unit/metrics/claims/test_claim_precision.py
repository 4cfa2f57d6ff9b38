"""claim_precision: the manual's example."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.claims.example import example
from tests.unit.metrics.judge.judged_factories import metric


def test_the_example_of_the_manual() -> None:
    score = example("claim_precision")

    assert score.value == pytest.approx(2 / 3)
    assert score.reason == "2 of 3 claims right"
    assert metric("claim_precision").info.direction is Direction.HIGHER
