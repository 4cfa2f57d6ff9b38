"""When more passes are asked for, and how many."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import (
    columns,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)
from tests.unit.core.rules.noisy.noisy_factories import flips

RULE = Rule(metric="faithfulness")


NDCG = Rule(metric="ndcg@10")


def lost(broken: int, *, passes: int, n: int = 60):
    """Three baseline passes that all hold, and a candidate that loses `broken` of `n` samples."""
    after = np.ones((n, passes))
    after[:broken] = 0.0
    return np.ones((n, 3)), after


def test_two_candidate_runs_are_a_confirmation_and_one_is_not():
    once = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)
    twice = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 2))), RULE)

    assert (once.confirmed, twice.confirmed) == (False, True)


def test_what_both_systems_declare_needs_no_further_run():
    assert judge(exact_pair([1.0] * 9, [0.0] * 9), NDCG).wants_runs == 0


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
    samples = samples_of(40)
    before, after = flips(40, 8)
    baseline = run_of({"faithfulness": columns(before)}, samples, words="before")
    candidate = run_of({"faithfulness": columns(after)}, samples, words="after", same_outputs=True)
    decision = judge(compare(baseline, candidate, samples), RULE)

    assert decision.runs_candidate == 3
    assert decision.wants_runs == 0


def test_suspicion_is_one_in_five():
    two_of_forty = judge(noisy_pair(*flips(40, 2, cand=1), confirm=2), RULE)  # p = 1/16
    one_of_forty = judge(noisy_pair(*flips(40, 1, cand=1), confirm=2), RULE)  # p = 1/4

    assert two_of_forty.wants_runs == 2
    assert one_of_forty.wants_runs == 0
    assert judge(noisy_pair(*flips(40, 2, cand=2), confirm=2), RULE).wants_runs == 1


def test_one_in_five_exactly_is_suspicious():
    samples = samples_of(40)
    before, after = flips(40, 1, base=4, cand=1)  # one loss among five runs
    baseline = run_of({"faithfulness": columns(before)}, samples, words="before")
    candidate = run_of({"faithfulness": columns(after)}, samples, words="after", confirm=2)
    control = run_of({"faithfulness": columns(before)}, samples, words="control")
    comparison = compare(baseline, candidate, samples)

    assert judge(comparison, RULE).wants_runs == 2
    warnings = judge(comparison, RULE, control=control).warnings
    assert any("run today" in line for line in warnings)


def test_a_clear_first_look_is_red_and_asks_for_no_confirmation():
    decision = judge(noisy_pair(*lost(6, passes=1), confirm=2), RULE)  # p is 4 ** -6

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0
    assert not decision.confirmed
    said = "too clear to need another run: an unchanged system looks like this in at most 1 run"
    assert [line for line in decision.lines if line.startswith(said)] == [f"{said} in 250"]


def test_a_first_look_below_alpha_and_not_clear_is_not_red_yet():
    decision = judge(noisy_pair(*lost(3, passes=1), confirm=2), RULE)  # p is 4 ** -3 = 0.016

    assert row_of(decision, "faithfulness").p == pytest.approx(0.0156, abs=1e-3)
    assert decision.verdict is Verdict.PASSED
    assert decision.wants_runs == 2


def test_what_cannot_be_confirmed_is_red_at_alpha():
    decision = judge(noisy_pair(*lost(3, passes=1), confirm=0), RULE)

    assert decision.verdict is Verdict.FAILED


@pytest.mark.parametrize(("alpha", "red"), [(0.0098, True), (0.0096, False)])
def test_the_second_look_has_the_rest_of_alpha(alpha, red):
    # Sign flips of six losses: p is half of 0.5 ** 6, just below 0.8 of the first alpha.
    decision = judge(
        noisy_pair(*lost(6, passes=3, n=200), confirm=2),
        RULE,
        claim="generalise",
        alpha=alpha,
    )
    p = row_of(decision, "faithfulness").p

    assert p == pytest.approx(0.5**7)
    assert (decision.verdict is Verdict.FAILED) is red


def test_a_clear_drop_below_the_smallest_that_counts_is_confirmed_all_the_same():
    decision = judge(noisy_pair(*lost(6, passes=1, n=600), confirm=2), RULE)

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.WORSE_HERE
    assert decision.wants_runs == 2
