from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragate.core.comparison.pass_columns import pass_column, passing
from ragate.models import Direction, MetricInfo, Needs
from tests.unit.core.decision_factories import noisy_pair

GRADE = MetricInfo(name="faithfulness", needs=Needs.JUDGE, low=1, high=5, unit="grade")


@pytest.mark.parametrize(
    ("direction", "passes"),
    [(Direction.HIGHER, [False, True, True, False]), (Direction.LOWER, [True, True, False, False])],
)
def test_the_mark_itself_passes_and_what_is_missing_does_not(
    direction: Direction, passes: list[bool]
) -> None:
    info = GRADE.amended(direction=direction)

    assert passing(info, 4.0, np.array([3.0, 4.0, 5.0, np.nan])).tolist() == passes


def test_grades_become_passes_and_what_is_unscored_stays_so() -> None:
    comparison = noisy_pair([[4.0, 3.0], [5.0, 5.0]], [[2.0], [2.0]], info=GRADE)
    column = comparison.columns["faithfulness"]
    column = replace(
        column, candidate=replace(column.candidate, values=np.array([[2.0], [np.nan]]))
    )

    rated = pass_column(column, 4.0, np.zeros(2, dtype=bool))

    assert rated.baseline.values.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert rated.candidate.values[0, 0] == 0.0
    assert np.isnan(rated.candidate.values[1, 0])
    assert (rated.low, rated.span, rated.info.name) == (0.0, 1.0, "faithfulness.pass")
    assert rated.info.direction is Direction.HIGHER


def test_an_unaffected_sample_holds_the_share_of_its_runs_that_passed() -> None:
    comparison = noisy_pair([[5.0, 5.0, 1.0]], [[5.0]], info=GRADE)

    rated = pass_column(comparison.columns["faithfulness"], 4.0, np.ones(1, dtype=bool))

    # Its mean score, 3.67, would not pass at all.
    assert rated.candidate.values.tolist() == [[pytest.approx(2 / 3)]]
    assert rated.baseline.values.tolist() == [[pytest.approx(2 / 3)] * 3]
