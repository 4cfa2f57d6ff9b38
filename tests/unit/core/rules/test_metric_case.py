"""One metric of a comparison, and the worst that missing scores could hide."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.rules.metric_case import read_cases, worst_case
from ragate.models import Direction, Rule, Waiver
from tests.unit.core.decision_factories import NOISY, TODAY, run_of, samples_of

RULE = Rule(metric="faithfulness")


def test_a_waived_sample_is_not_filled_with_the_worst_value():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    samples = samples_of(5)
    pair = compare(
        run_of({"faithfulness": [[1.0]] * 5}, samples),
        run_of({"faithfulness": [[None]] * 2 + [[1.0]] * 3}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [waiver], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert np.isnan(filled.column.candidate.values[0, 0])
    assert filled.column.candidate.values[1, 0] == 0.0


def test_the_mean_that_fills_a_baseline_is_of_counted_samples():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    before = [[0.0], [None], [1.0], [0.5]]
    samples = samples_of(4)
    pair = compare(
        run_of({"faithfulness": before}, samples),
        run_of({"faithfulness": [[1.0]] * 4}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [waiver], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert filled.column.baseline.values[1, 0] == 0.75


def test_the_worst_case_leaves_what_the_baseline_measured():
    samples = samples_of(3)
    before = [[None, 0.5], [1.0, 0.0], [0.25, 0.75]]
    pair = compare(
        run_of({"faithfulness": before}, samples, words="before"),
        run_of({"faithfulness": [[1.0]] * 3}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert filled.column.baseline.values.tolist() == [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]]


@pytest.mark.parametrize(("direction", "worst"), [(Direction.HIGHER, 1.0), (Direction.LOWER, 5.0)])
def test_the_worst_case_fills_the_candidate_with_the_worst_of_its_range(direction, worst):
    info = NOISY.amended(low=1.0, high=5.0, direction=direction)
    samples = samples_of(2)
    pair = compare(
        run_of({"faithfulness": [[3.0]] * 2}, samples, infos=(info,), words="before"),
        run_of({"faithfulness": [[None], [3.0]]}, samples, infos=(info,), words="after"),
        samples,
    )
    filled = worst_case(read_cases([RULE], pair, [], TODAY)[0])

    assert filled is not None
    assert filled.column is not None
    assert filled.column.candidate.values.ravel().tolist() == [worst, 3.0]
