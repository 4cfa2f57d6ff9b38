from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.statistics.worst_scores import with_worst, worst_value
from ragate.models import Direction, MetricInfo, Needs
from tests.unit.core.decision_factories import run_of, samples_of

INFO = MetricInfo(name="faithfulness", needs=Needs.JUDGE, low=1, high=5)


@pytest.mark.parametrize(("direction", "worst"), [(Direction.HIGHER, 1.0), (Direction.LOWER, 5.0)])
def test_a_missing_candidate_is_at_its_worst_and_a_missing_baseline_at_its_mean(
    direction: Direction, worst: float
) -> None:
    samples, info = samples_of(3), INFO.amended(direction=direction)
    before = run_of({"faithfulness": [[4.0, None], [2.0, 2.0], [3.0, 3.0]]}, samples, infos=[info])
    after = run_of({"faithfulness": [[4.0], [None], [3.0]]}, samples, infos=[info], words="after")
    column = compare(before, after, samples).columns["faithfulness"]

    filled = with_worst(column, np.ones(3, dtype=bool))

    assert filled is not None
    assert worst_value(column) == worst
    assert filled.baseline.values[0].tolist() == [4.0, 4.0]
    assert filled.candidate.values[:, 0].tolist() == [4.0, worst, 3.0]
    assert with_worst(column, np.array([False, False, True])) is None
