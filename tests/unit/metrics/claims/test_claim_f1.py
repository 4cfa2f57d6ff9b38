"""claim_f1: the manual's example."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.claims.example import example
from tests.unit.metrics.judge.judged_factories import metric


def test_the_example_of_the_manual() -> None:
    score = example("claim_f1")

    assert score.value == pytest.approx(2 / 3)
    assert score.reason == "precision 0.67, recall 0.67"
    assert metric("claim_f1").info.direction is Direction.HIGHER
