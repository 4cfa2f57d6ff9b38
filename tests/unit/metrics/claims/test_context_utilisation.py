"""context_utilisation: the manual's example."""

from __future__ import annotations

import pytest

from ragate.models import Direction
from tests.unit.metrics.claims.example import example
from tests.unit.metrics.judge.judged_factories import metric


def test_the_example_of_the_manual() -> None:
    score = example("context_utilisation")

    assert score.value == pytest.approx(1 / 2)
    assert score.reason == "1 of 2 claims of a reference in the answer"
    assert metric("context_utilisation").info.direction is Direction.HIGHER
