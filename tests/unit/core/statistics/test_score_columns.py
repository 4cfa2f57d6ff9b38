"""The scores of one metric as columns: silence, values out of range, and the range itself."""

from __future__ import annotations

import numpy as np

from ragate.core.comparison.compare import compare
from ragate.core.statistics.score_columns import row_means
from ragate.models import Direction, MetricInfo, Rule, Score, ScoreState, Verdict
from tests.unit.core.decision_factories import N_A, judge, noisy_pair, row_of, run_of, samples_of

RULE = Rule(metric="faithfulness")


def test_silence_on_one_side_is_unscored():
    comparison = noisy_pair([[0.0], [1.0], [N_A], [N_A]], [[N_A], [1.0], [1.0], [N_A]])
    column = comparison.columns["faithfulness"]

    assert column.candidate.unscored.ravel().tolist() == [True, False, False, False]
    assert column.baseline.unscored.ravel().tolist() == [False, False, True, False]
    assert column.applies.tolist() == [True, True, True, False]


def test_a_value_outside_the_range_is_unscored_and_says_so():
    comparison = noisy_pair([[1.0]] * 10, [[1.3]] * 5 + [[1.0]] * 5)
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert "1.3 is outside the range 0 to 1" in row_of(decision, "faithfulness").unscored_reasons
    assert decision.verdict is Verdict.NO_DECISION


def test_not_a_number_from_a_plugin_is_unscored():
    samples = samples_of(30)
    candidate = run_of({"faithfulness": [[1.0]] * 30}, samples, words="after")
    broken = Score(metric="faithfulness", state=ScoreState.UNSCORED)
    object.__setattr__(broken, "state", ScoreState.VALUE)
    object.__setattr__(broken, "value", float("nan"))
    records = tuple(record.amended(scores={"faithfulness": broken}) for record in candidate.records)
    comparison = compare(
        run_of({"faithfulness": [[1.0]] * 30}, samples),
        candidate.amended(records=records),
        samples,
    )

    assert judge(comparison, Rule(metric="faithfulness")).verdict is Verdict.NO_DECISION


def test_an_unbounded_metric_is_scaled_by_the_largest_value_of_both_sides():
    tokens = MetricInfo(name="tokens", high=None, direction=Direction.LOWER, unit="tokens")
    column = noisy_pair([[100.0]], [[400.0]], info=tokens).columns["tokens"]

    assert column.span == 400.0
    assert column.scaled(column.candidate.values).tolist() == [[0.0]]
    assert column.unit(0.0) == 400.0


def test_silence_beside_no_value_leaves_the_sample_out_and_beside_a_value_is_counted():
    comparison = noisy_pair(
        [[N_A], [N_A], [None], [1.0], [N_A]], [[None], [1.0], [N_A], [N_A], [N_A]]
    )
    column = comparison.columns["faithfulness"]
    said = "nothing to measure here, but a value on the other side"

    assert column.applies.tolist() == [False, True, False, True, False]
    assert column.baseline.reasons == {"judge timeout": 1, said: 1}
    assert column.candidate.reasons == {"judge timeout": 1, said: 1}


def test_the_range_of_an_unbounded_metric_ends_at_its_largest_value():
    tokens = MetricInfo(name="tokens", low=2.0, high=None, direction=Direction.LOWER)
    column = noisy_pair([[3.0], [5.0]], [[12.0], [4.0]], info=tokens).columns["tokens"]

    assert (column.low, column.span) == (2.0, 10.0)
    assert column.scaled(column.candidate.values).ravel().tolist() == [0.0, 0.8]


def test_what_is_missing_is_left_out_of_a_mean():
    assert row_means(np.array([[1.0, np.nan], [0.25, 0.75]])).tolist() == [1.0, 0.5]
    pair = noisy_pair([[0.5, None, 0.5]] + [[0.5] * 3] * 19, [[0.5]] * 20)
    row = row_of(judge(pair, RULE), "faithfulness")

    assert (row.baseline, row.change) == (0.5, 0.0)
