"""Deterministic metrics, waivers, precedence: everything that needs no statistics."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.repeating import rewrites
from ragate.core.comparison.compare import compare
from ragate.models import Direction, Failure, MetricInfo, MetricVerdict, Reads, Rule, Verdict
from tests.night import by_night
from tests.unit.core.comparison.repeating_factories import (
    ANSWERED,
    NUMBERS,
    declared,
    pair_of,
    share_of_red,
    side,
)
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    exact_pair,
    judge,
    row_of,
    run_of,
    samples_of,
)

NDCG = Rule(metric="ndcg@10")


def test_a_drop_beyond_the_limit_is_red_and_says_both():
    decision = judge(exact_pair([1.0] * 10, [1.0] * 8 + [0.0] * 2), NDCG)

    assert decision.verdict is Verdict.FAILED
    assert decision.exit_code == 1
    assert decision.reasons == ("ndcg@10 fell by 0.200 (1.000 -> 0.800); 0.050 is allowed",)
    assert row_of(decision, "ndcg@10").blocks


def test_the_limit_is_inclusive():
    assert judge(exact_pair([1.0] * 10, [1.0] * 9 + [0.5]), NDCG).verdict is Verdict.PASSED
    assert judge(exact_pair([1.0] * 10, [1.0] * 9 + [0.4]), NDCG).verdict is Verdict.FAILED


def test_no_change_at_all_is_unchanged_and_a_small_fall_is_held():
    same = judge(exact_pair([1.0, 0.5], [1.0, 0.5]), NDCG)
    fell = judge(exact_pair([1.0] * 10, [0.95] + [1.0] * 9), NDCG)
    rose = judge(exact_pair([0.5] * 10, [0.6] + [0.5] * 9), NDCG)

    assert row_of(same, "ndcg@10").verdict is MetricVerdict.UNCHANGED
    assert row_of(fell, "ndcg@10").verdict is MetricVerdict.HELD
    assert row_of(fell, "ndcg@10").reason.endswith("; 0.050 is allowed")
    assert row_of(rose, "ndcg@10").verdict is MetricVerdict.IMPROVED
    assert same.lines == ("no gated metric is noisy: every change is seen",)


def test_where_lower_is_better_a_rise_is_red():
    churn = MetricInfo(name="churn", direction=Direction.LOWER, reads=EXACT.reads)
    decision = judge(exact_pair([0.0] * 4, [1.0] * 4, info=churn), Rule(metric="churn"))

    assert decision.reasons == ("churn rose by 1.000 (0.000 -> 1.000); 0.125 more is allowed",)


def test_a_warning_level_metric_never_blocks():
    decision = judge(
        exact_pair([1.0] * 10, [0.0] * 10),
        Rule(metric="ndcg@10", level="warn"),
        Rule(metric="other", level="off"),
    )

    assert row_of(decision, "ndcg@10").verdict is MetricVerdict.REGRESSED
    assert not row_of(decision, "ndcg@10").blocks
    assert decision.verdict is Verdict.NO_DECISION
    assert "no metric is gated" in decision.reasons[0]


def test_samples_that_are_lost_as_by_bad_luck_leave_and_what_could_hide_there_is_said():
    samples = samples_of(100)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 100}, samples, same_outputs=True)
    few, many = (
        run_of({"ndcg@10": [[None]] * lost + [[1.0]] * (100 - lost)}, samples, words="after")
        for lost in (3, 4)
    )
    allows = NDCG.amended(max_drop=0.05)

    passed = judge(compare(baseline, few, samples), allows)
    assert passed.verdict is Verdict.PASSED
    assert (
        "ndcg@10: 3 of 100 samples could not be scored; a drop of 3 points could hide there"
        in passed.warnings
    )
    decision = judge(compare(baseline, many, samples), allows)
    assert decision.verdict is Verdict.NO_DECISION
    unusual = "ndcg@10: 4 of 100 samples could not be scored; after what the baseline lost, at most"
    assert decision.reasons == (f"{unusual} 3 would be bad luck",)


def test_where_one_lost_answer_is_red_one_that_cannot_be_scored_is_no_decision():
    samples = samples_of(100)
    baseline = run_of({"ndcg@10": [[1.0] * 3] * 100}, samples, same_outputs=True)
    candidate = run_of({"ndcg@10": [[None]] + [[1.0]] * 99}, samples, words="after")
    decision = judge(compare(baseline, candidate, samples), NDCG)

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons[0].startswith(
        "ndcg@10: 1 of 100 samples could not be scored; at their worst it would fail: ndcg@10 fell"
    )


def test_what_is_missing_on_different_sides_leaves_no_pair():
    samples = samples_of(2)
    baseline = run_of({"ndcg@10": [[None, None], [1.0, 1.0]]}, samples, same_outputs=True)
    candidate = run_of({"ndcg@10": [[1.0], [None]]}, samples, words="after")
    decision = judge(compare(baseline, candidate, samples), NDCG, max_unscored=0.6)

    assert row_of(decision, "ndcg@10").verdict is MetricVerdict.NOT_MEASURED
    assert decision.verdict is not Verdict.PASSED


def test_a_metric_that_applies_to_nothing_is_not_measured():
    samples = samples_of(3)
    scores = {"ndcg@10": [[N_A, N_A]] * 3}
    baseline = run_of(scores, samples, same_outputs=True)
    decision = judge(compare(baseline, run_of(scores, samples), samples), NDCG)

    assert decision.reasons[0].startswith("ndcg@10 applies to no sample: none says what")
    assert decision.exit_code == 3


def test_all_samples_failed_is_no_decision_even_below_a_floor():
    failures = {f"q{row:04d}": Failure(kind="system", message="down") for row in range(9)}
    comparison = exact_pair([1.0] * 9, [0.0] * 9, failures=failures)
    decision = judge(comparison, Rule(metric="ndcg@10", minimum=0.9))

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == ("9 of 9 questions failed: down",)
    assert row_of(decision, "ndcg@10").floor is None


values = st.lists(st.integers(0, 4).map(lambda step: step / 4), min_size=1, max_size=12)


@given(before=values, after=values, limit=st.sampled_from([None, 0.0, 0.05, 0.3]))
def test_the_rule_equals_a_ten_line_oracle(before, after, limit):
    n = min(len(before), len(after))
    before, after = before[:n], after[:n]
    decision = judge(exact_pair(before, after), Rule(metric="ndcg@10", max_drop=limit))

    changes = [old - new for old, new in zip(before, after, strict=True) if old != new]
    allowed = 0.5 / n if limit is None else limit
    exceeded = sum(changes) / n > allowed + 1e-9
    red = exceeded and (len(changes) <= 4 or sign_flip_mid_p(changes) <= 0.02)
    assert decision.exit_code == (1 if red else 0)


def sign_flip_mid_p(losses: list[float]) -> float:
    """Share of all signs that give the loss or more, ties half."""
    sums = [sum(signs) for signs in itertools.product(*((loss, -loss) for loss in losses))]
    more = sum(one > sum(losses) + 1e-9 for one in sums)
    same = sum(abs(one - sum(losses)) <= 1e-9 for one in sums)
    return (more + same / 2) / len(sums)


@given(before=values, row=st.integers(0, 11), by=st.sampled_from([0.25, 0.5, 1.0]))
def test_making_the_candidate_worse_never_turns_red_into_a_pass(before, row, by):
    after = [max(0.0, value - 0.25) for value in before]
    worse = list(after)
    worse[row % len(worse)] = max(0.0, worse[row % len(worse)] - by)
    first = judge(exact_pair(before, after), NDCG)
    second = judge(exact_pair(before, worse), NDCG)

    assert second.exit_code == 1 or first.exit_code == 0


def test_a_limit_is_in_the_metrics_own_unit():
    ranks = MetricInfo(name="ranks", high=10.0, reads=EXACT.reads)
    comparison = exact_pair([10.0] * 10, [8.0] + [10.0] * 9, info=ranks)
    loose = judge(comparison, Rule(metric="ranks"))
    strict = judge(comparison, Rule(metric="ranks", max_drop=0.1))

    assert row_of(loose, "ranks").limit == 0.5
    assert loose.verdict is Verdict.PASSED
    assert strict.reasons == ("ranks fell by 0.200 (10.000 -> 9.800); 0.100 is allowed",)


def test_gains_do_not_hide_that_samples_changed():
    row = row_of(judge(exact_pair([1.0, 0.0, 1.0], [0.0, 1.0, 1.0]), NDCG), "ndcg@10")

    assert (row.better, row.worse) == (1, 1)
    assert row.change == 0.0
    assert row.verdict is MetricVerdict.HELD


def test_the_change_is_signed_and_the_default_limit_is_half_a_sample():
    row = row_of(judge(exact_pair([1.0] * 200, [0.0] * 3 + [1.0] * 197), NDCG), "ndcg@10")

    assert row.change == pytest.approx(-0.015)
    assert row.limit == 0.0025
    assert row.verdict is MetricVerdict.REGRESSED


@pytest.mark.parametrize("n", [20, 100, pytest.param(1000, marks=by_night)])
def test_one_full_loss_that_stands_alone_is_red_on_every_set(n):
    decision = declared(pair_of([1.0] * n, [0.0] + [1.0] * (n - 1)))

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0


def test_four_wrong_numbers_in_twenty_answers_are_red_where_sessions_show_that_it_repeats():
    before, after = [1.0] * 20, [0.5] * 4 + [1.0] * 16

    assert declared(pair_of(before, after)).verdict is Verdict.FAILED
    noisy = judge(pair_of(before, after, recorded={"own_sessions": False}), NUMBERS)
    assert noisy.verdict is not Verdict.FAILED


def test_beyond_four_changed_scores_the_loss_stands_out_from_random_signs():
    gains = [0.6, 0.4, 0.6, 0.4]
    half = pair_of([0.5] * 20, [0.0, 0.0, *gains, *[0.5] * 14])
    all_down = pair_of([0.5] * 20, [0.0] * 7 + [0.5] * 13)

    row = row_of(declared(half), "number_recall")
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "4 of 6 changed scores fell, which chance alone does" in row.reason
    assert declared(half).verdict is Verdict.PASSED
    assert declared(all_down).verdict is Verdict.FAILED


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
    both = (Reads.RETRIEVAL, Reads.ANSWER)
    twice = {name: [row * 2 for row in rows] for name, rows in scores.items()}
    before = run_of(twice, samples, infos=infos, same_outputs=True, deterministic=both)
    after = run_of(lost, samples, infos=infos, words="other", same_outputs=True, deterministic=both)
    rules = [Rule(metric=name) for name in names]

    assert declared(compare(before, after, samples), *rules).exit_code == 1


def test_whole_clusters_change_their_sign():
    samples = [
        sample.amended(metadata={"doc": str(row // 7)}) for row, sample in enumerate(samples_of(49))
    ]
    before, after = side([[0.5] * 3] * 49), side([[0.3] * 3] * 7 + [[0.5] * 3] * 42)
    comparison = compare(before, after, samples, cluster="doc")

    assert declared(comparison).verdict is Verdict.PASSED
    assert declared(compare(before, after, samples)).verdict is Verdict.FAILED


def test_one_loss_among_reworded_answers_is_seen_on_a_small_set_only():
    assert share_of_red(partial(rewrites, n=20, share=0.1, lost=1), 100) >= 0.85
    assert share_of_red(partial(rewrites, n=100, share=0.1, lost=1), 100) <= 0.15


@pytest.mark.parametrize(("failed", "verdict"), [(1, Verdict.PASSED), (2, Verdict.NO_DECISION)])
def test_a_loss_whose_outputs_fail_whenever_they_are_asked_again_is_no_decision(
    failed: int, verdict: Verdict
):
    lost = Failure(kind="provider", message="down")
    after = side([[0.0] * (1 + failed)] * 6 + [[1.0]] * 24)
    records = [
        record.amended(output=record.output.amended(error=lost), scores={})
        if record.run
        else record
        for record in after.records
    ]
    before = side([[1.0] * 3] * 30)
    decision = declared(compare(before, after.amended(records=tuple(records)), samples_of(30)))

    assert decision.verdict is verdict
    assert bool(decision.wants_again) is (failed == 1)
