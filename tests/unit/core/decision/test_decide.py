"""Odd inputs: each has a defined verdict and a sentence; none passes by accident, none raises."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.decision import verdict_lines
from ragate.models import MetricInfo, MetricVerdict, Needs, Rule, Run, Verdict
from tests.unit.core.decision_factories import (
    NOISY,
    compared,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


@pytest.mark.parametrize("after", [0.0, 1.0])
def test_one_sample_decides_nothing(after):
    decision = judge(noisy_pair([[1.0] * 3], [[after]]), RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == (
        "faithfulness is scored on 1 sample: at least 5 must get worse before it can fail",
    )
    assert row_of(decision, "faithfulness").mde is None


def test_all_scores_equal_is_held_with_enough_samples_and_cannot_tell_with_few():
    many = judge(noisy_pair(np.ones((100, 3)), np.ones((100, 1))), RULE)
    few = judge(noisy_pair(np.ones((20, 3)), np.ones((20, 1))), RULE)

    assert row_of(many, "faithfulness").verdict is MetricVerdict.HELD
    assert row_of(many, "faithfulness").p == 1.0
    assert row_of(few, "faithfulness").verdict is MetricVerdict.CANNOT_TELL
    assert few.verdict is Verdict.PASSED


def test_all_unscored_is_no_decision():
    samples = samples_of(20)
    none = {"faithfulness": [[None]] * 20}
    decision = judge(compare(run_of(none, samples), run_of(none, samples), samples), RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert "100.0% of the baseline's scores are missing" in decision.reasons[0]
    assert "judge timeout (20)" in decision.reasons[0]


def test_one_baseline_run_says_what_three_would_see_and_that_noise_is_unknown():
    decision = judge(noisy_pair(np.ones((50, 1)), np.ones((50, 1))), RULE)

    assert row_of(decision, "faithfulness").mde_note.startswith("noise unknown")
    assert (
        "with 1 baseline run a drop of about 15.7 points in faithfulness is missed in one of five "
        "runs; with 3 a drop of about 14.1 points in faithfulness is missed in one of five runs "
        "(how much runs differ is assumed)"
    ) in decision.warnings


def test_three_baseline_runs_are_not_recommended_where_they_show_no_more(monkeypatch):
    monkeypatch.setattr(verdict_lines, "visible_drop", lambda *_: 0.157)

    decision = judge(noisy_pair(np.ones((50, 1)), np.ones((50, 1))), RULE)

    assert not [line for line in decision.warnings if "with 3 runs" in line]


def test_few_samples_are_said_with_the_losses_it_takes():
    infos = [MetricInfo(name=f"m{number}", needs=Needs.JUDGE) for number in range(6)]
    samples = samples_of(15)
    scores = {info.name: [[1.0]] * 15 for info in infos}
    comparison = compared(scores, scores, samples, infos=infos)
    rules = [Rule(metric=info.name) for info in infos]

    warnings = judge(comparison, *rules, alpha=0.05).warnings
    assert (
        "of 15 samples at least 4 (for some metrics 6) must get worse before this gate can fail"
        in warnings
    )


def test_a_family_without_one_whole_sample_is_no_decision():
    infos = (NOISY, MetricInfo(name="correctness", needs=Needs.JUDGE))
    samples = samples_of(2)
    scores = {"faithfulness": [[1.0], [None]], "correctness": [[None], [1.0]]}
    comparison = compared(scores, scores, samples, infos=infos)
    decision = judge(comparison, RULE, Rule(metric="correctness"), max_unscored=0.6)

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons[0] == "faithfulness: no sample has all its scores on both sides"


def test_a_metric_left_without_any_whole_sample_is_not_measured():
    infos = (NOISY, MetricInfo(name="correctness", needs=Needs.JUDGE))
    samples = samples_of(30)
    then = {
        "faithfulness": [[None]] + [[1.0]] * 29,
        "correctness": [[1.0]] + [["n/a"]] * 29,
    }
    comparison = compared(then, then, samples, infos=infos)
    decision = judge(comparison, RULE, Rule(metric="correctness"))

    assert row_of(decision, "correctness").verdict is MetricVerdict.NOT_MEASURED
    assert decision.verdict is Verdict.NO_DECISION


def test_no_gated_metric_is_no_decision():
    decision = judge(noisy_pair([[1.0]] * 9, [[1.0]] * 9), Rule(metric="faithfulness", level="off"))

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.metrics == ()


def test_no_samples_at_all_is_no_decision():
    empty = run_of({}, [])
    decision = judge(compare(empty, empty, []), RULE)

    assert decision.verdict is Verdict.NO_DECISION


def test_a_candidate_without_records_is_no_decision():
    samples = samples_of(10)
    baseline = run_of({"faithfulness": [[1.0]] * 10}, samples)
    candidate = Run(manifest=baseline.manifest)
    decision = judge(compare(baseline, candidate, samples), Rule(metric="faithfulness", minimum=0))

    assert decision.verdict is Verdict.NO_DECISION


def test_a_candidate_that_lost_a_few_records_counts_them_as_unscored():
    samples = samples_of(100)
    baseline = run_of({"faithfulness": [[1.0]] * 100}, samples)
    candidate = run_of({"faithfulness": [[1.0]] * 90}, samples[:90], words="after")
    decision = judge(compare(baseline, candidate, samples), RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert row_of(decision, "faithfulness").unscored_reasons == {"no score was recorded": 10}


def test_scores_that_differ_by_rounding_alone_are_tied():
    base = np.array([[0.1 + 0.2]] * 40)
    decision = judge(noisy_pair(base, np.full((40, 1), 0.3)), RULE)
    row = row_of(decision, "faithfulness")

    assert (row.better, row.worse, row.p) == (0, 0, 1.0)


def test_a_large_system_with_many_runs_is_judged():
    before, after = np.ones((20, 12)), np.ones((20, 12))
    after[:6] = 0.0

    assert judge(noisy_pair(before, after), RULE).verdict is Verdict.FAILED


NDCG = Rule(metric="ndcg@10")


def lost(broken: int, *, passes: int, n: int = 60):
    """Three baseline passes that all hold, and a candidate that loses `broken` of `n` samples."""
    after = np.ones((n, passes))
    after[:broken] = 0.0
    return np.ones((n, 3)), after


def test_a_failing_metric_that_was_repeated_asks_for_no_more():
    samples = samples_of(9)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 9}, samples, same_outputs=True)
    candidate = run_of({"ndcg@10": [[0.0, 0.0]] * 9}, samples, words="after", same_outputs=True)
    decision = judge(compare(baseline, candidate, samples), NDCG)

    assert decision.exit_code == 1
    assert decision.wants_runs == 0


def test_a_suspicious_first_run_asks_for_confirmation_and_a_clean_one_does_not():
    suspicious = judge(noisy_pair(*flips(40, 2, cand=1), confirm=2), RULE)
    clean = judge(noisy_pair(*flips(40, 1, 2, cand=1), confirm=2), RULE)
    none_wanted = judge(noisy_pair(*flips(40, 2, cand=1), confirm=0), RULE)

    assert suspicious.wants_runs == 2
    assert any("2 more runs over all samples" in line for line in suspicious.warnings)
    assert clean.wants_runs == 0
    assert not clean.confirmed
    assert none_wanted.wants_runs == 0
    assert not any("more run" in line for line in none_wanted.warnings)


def test_confirmation_runs_that_repeat_byte_for_byte_are_not_asked_for_again():
    before, after = flips(40, 8)
    decision = judge(noisy_pair(before, after, same_outputs=True), RULE)

    assert decision.runs_candidate == 3
    assert decision.wants_runs == 0


def test_suspicion_is_one_in_five():
    two_of_forty = judge(noisy_pair(*flips(40, 2, cand=1), confirm=2), RULE)  # p = 1/8
    one_of_forty = judge(noisy_pair(*flips(40, 1, cand=1), confirm=2), RULE)  # p = 1/4

    assert two_of_forty.wants_runs == 2
    assert one_of_forty.wants_runs == 0
    assert judge(noisy_pair(*flips(40, 2, cand=2), confirm=2), RULE).wants_runs == 1


def test_a_clear_first_look_is_red_and_asks_for_no_confirmation():
    decision = judge(noisy_pair(*lost(8, passes=1), confirm=2), RULE)  # p is 0.5 ** 9

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0
    assert not decision.confirmed
    said = "too clear to need another run: an unchanged system looks like this in at most 1 run"
    assert [line for line in decision.lines if line.startswith(said)] == [f"{said} in 250"]


def test_a_first_look_below_alpha_and_not_clear_is_not_red_yet():
    decision = judge(noisy_pair(*lost(5, passes=1), confirm=2), RULE)  # p is 0.5 ** 6

    assert row_of(decision, "faithfulness").p == pytest.approx(0.0156, abs=1e-3)
    assert decision.verdict is Verdict.PASSED
    assert decision.wants_runs == 2


def test_what_cannot_be_confirmed_is_red_at_alpha():
    decision = judge(noisy_pair(*lost(5, passes=1), confirm=0), RULE)

    assert decision.verdict is Verdict.FAILED


@pytest.mark.parametrize(("alpha", "red"), [(0.0098, True), (0.0096, False)])
def test_the_second_look_has_the_rest_of_alpha(alpha, red):
    # Sign flips of six losses: p is half of 0.5 ** 6, just below 0.8 of the first alpha.
    decision = judge(
        noisy_pair(*lost(6, passes=3, n=200), confirm=2),
        RULE,
        alpha=alpha,
    )
    p = row_of(decision, "faithfulness").p

    assert p == pytest.approx(0.5**7)
    assert (decision.verdict is Verdict.FAILED) is red


def test_a_clear_drop_below_the_smallest_that_counts_is_confirmed_all_the_same():
    decision = judge(noisy_pair(*lost(8, passes=1, n=1000), confirm=2), RULE)

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.WORSE_HERE
    assert decision.wants_runs == 2
