"""What a metric without noise lost, beside what random signs lose."""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks.repeating import rewrites
from ragate.core.comparison.compare import compare
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.comparison.repeating_factories import (
    ANSWERED,
    BOTH,
    NUMBERS,
    declared,
    pair_of,
    share_of_red,
    side,
)
from tests.unit.core.decision_factories import judge, row_of, run_of, samples_of


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_one_full_loss_that_stands_alone_is_red_on_every_set(n):
    decision = declared(pair_of([1.0] * n, [0.0] + [1.0] * (n - 1)))

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0


def test_four_wrong_numbers_in_twenty_answers_are_red_where_it_is_declared():
    before, after = [1.0] * 20, [0.5] * 4 + [1.0] * 16

    assert declared(pair_of(before, after)).verdict is Verdict.FAILED
    undeclared = judge(pair_of(before, after, repeats=()), NUMBERS)
    assert undeclared.verdict is not Verdict.FAILED
    assert any('write `repeats = ["answer"]`' in said for said in undeclared.warnings)


def test_beyond_four_changed_scores_the_loss_stands_out_from_random_signs():
    gains = [0.6, 0.4, 0.6, 0.4]
    half = pair_of([0.5] * 20, [0.0, 0.0, *gains, *[0.5] * 14])
    all_down = pair_of([0.5] * 20, [0.0] * 7 + [0.5] * 13)

    row = row_of(declared(half), "number_recall")
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "4 of 6 changed scores fell, which chance alone does" in row.reason
    assert declared(half).verdict is Verdict.PASSED
    assert declared(all_down).verdict is Verdict.FAILED


def test_on_this_set_a_loss_is_certain():
    comparison = pair_of([0.5] * 20, [0.0, 0.0, 0.6, 0.4, 0.6, 0.4, *[0.5] * 14])

    assert declared(comparison, claim="this-set").verdict is Verdict.FAILED


def test_a_small_loss_that_signs_explain_is_held():
    after = [0.4, 0.4, 0.4, 0.6, 0.6, 0.4, 0.38, 0.5, *[0.5] * 192]
    row = row_of(
        declared(pair_of([0.5] * 200, after), Rule(metric="number_recall")), NUMBERS.metric
    )

    assert row.verdict is MetricVerdict.HELD


def test_the_metrics_that_gate_share_the_test_of_signs():
    """Seven losses of seven are proven for one metric, and for two that move together."""
    names = ("number_recall", "exact_match")
    infos = [ANSWERED.amended(name=name) for name in names]
    scores = {name: [[0.5]] * 20 for name in names}
    lost = {name: [[0.3]] * 7 + [[0.5]] * 13 for name in names}
    samples = samples_of(20)
    twice = {name: [row * 2 for row in rows] for name, rows in scores.items()}
    before = run_of(twice, samples, infos=infos, same_outputs=True)
    after = run_of(lost, samples, infos=infos, words="other", same_outputs=True)
    rules = [Rule(metric=name) for name in names]

    assert declared(compare(before, after, samples, repeats=BOTH), *rules).exit_code == 1


def test_whole_clusters_change_their_sign():
    samples = [
        sample.amended(metadata={"doc": str(row // 7)}) for row, sample in enumerate(samples_of(21))
    ]
    before, after = side([[0.5] * 3] * 21), side([[0.3]] * 7 + [[0.5]] * 14)
    comparison = compare(before, after, samples, cluster="doc", repeats=BOTH)

    assert declared(comparison).verdict is Verdict.PASSED


def test_one_loss_among_reworded_answers_is_seen_on_a_small_set_only():
    assert share_of_red(partial(rewrites, n=20, share=0.1, lost=1), 100, seed=5) >= 0.85
    assert share_of_red(partial(rewrites, n=100, share=0.1, lost=1), 100, seed=5) <= 0.15
