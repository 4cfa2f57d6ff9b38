"""A candidate beside the base version of today."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.decision.drift_control import drift_notes
from ragate.core.rules.metric_case import RuleOutcome
from ragate.models import Rule, Verdict, Waiver
from tests.unit.core.decision_factories import (
    TODAY,
    columns,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)
from tests.unit.core.rules.slice_factories import pair, part, tagged

RULE = Rule(metric="faithfulness")


def control_case(
    control_rate: float, cand_rate: float, *, judge_name: str = "judge-1", seed: int = 3
):
    rng = np.random.default_rng(seed)
    samples = samples_of(200)

    def draw(rate: float, runs: int) -> list[list[float]]:
        return columns((rng.random((200, runs)) < rate).astype(float))

    before, today, after = draw(0.98, 3), draw(control_rate, 3), draw(cand_rate, 3)
    control = run_of({"faithfulness": today}, samples, words="control", judge=judge_name)
    return noisy_pair(before, after), control


def test_what_has_no_p_does_not_drift():
    decision = judge(noisy_pair(np.ones((20, 3)), np.ones((20, 1))), RULE)
    row = row_of(decision, "faithfulness")
    moved = row.amended(p=0.001, change=-0.2)

    assert drift_notes({}, level=0.02) == ()
    assert drift_notes({"a": RuleOutcome(), "b": RuleOutcome(row.amended(p=None))}, level=1) == ()
    assert drift_notes({"a": RuleOutcome(moved.amended(change=None))}, level=0.02) == ()
    assert "faithfulness -0.200" in drift_notes({"a": RuleOutcome(moved)}, level=0.001)[0]
    assert drift_notes({"a": RuleOutcome(moved)}, level=0.0009) == ()


def test_a_waived_sample_is_not_tested_against_a_control_either():
    samples = samples_of(40)
    good, bad = [[1.0, 1.0, 1.0]] * 40, [[1.0]] * 30 + [[0.0]] * 10
    control = run_of({"faithfulness": good}, samples, words="today")
    day = TODAY + datetime.timedelta(days=1)
    waived = [
        Waiver(id=sample.id, metric="faithfulness", owner="me", reason="known", until=day)
        for sample in samples[32:]
    ]
    decision = judge(noisy_pair(good, bad), RULE, control=control, waivers=waived)

    assert any("run today" in line for line in decision.warnings)
    assert row_of(decision, "faithfulness").n == 32
    assert row_of(decision, "faithfulness").worse == 2


def test_a_control_is_compared_although_the_golden_set_has_grown():
    samples = samples_of(45)
    known = samples[:40]
    baseline = run_of({"faithfulness": [[1.0, 1.0, 1.0]] * 40}, known, words="then")
    control = run_of({"faithfulness": [[1.0, 1.0, 1.0]] * 40}, known, words="today")
    candidate = run_of({"faithfulness": [[1.0]] * 30 + [[0.0]] * 15}, samples, words="after")

    decision = judge(compare(baseline, candidate, samples), RULE, control=control)

    assert any("run today" in line for line in decision.warnings)
    assert row_of(decision, "faithfulness").worse == 10


@pytest.mark.parametrize("seed", range(8))
def test_drift_that_a_control_shares_is_not_blamed_on_the_change(seed):
    comparison, control = control_case(0.85, 0.85, seed=seed)

    assert judge(comparison, RULE).verdict is Verdict.FAILED
    decision = judge(comparison, RULE, control=control)
    assert decision.verdict is Verdict.PASSED
    assert any("drift: the base version itself moved" in line for line in decision.warnings)


@pytest.mark.parametrize("seed", range(8))
def test_a_planted_regression_stays_red_beside_a_steady_control(seed):
    comparison, control = control_case(0.98, 0.85, seed=seed)
    decision = judge(comparison, RULE, control=control)

    assert decision.verdict is Verdict.FAILED


def test_a_steady_control_is_not_said_to_drift():
    comparison, control = control_case(0.98, 0.85)
    decision = judge(comparison, RULE, control=control)

    assert any("tested against the base version run today" in w for w in decision.warnings)
    assert not any("drift" in line for line in decision.warnings)


def test_a_control_of_the_whole_set_and_of_a_slice_is_told_once():
    samples = tagged({"a": 150}, rest=50)
    scores = np.random.default_rng(3).random((200, 7)) < [0.98] * 3 + [0.98] * 3 + [0.8]
    control = run_of({"faithfulness": columns(scores[:, 3:6].astype(float))}, samples, words="now")
    comparison = pair(samples, scores[:, :3], scores[:, 6:])

    decision = judge(comparison, RULE, control=control, slices=[part("a")])

    assert sum("base version run today" in line for line in decision.warnings) == 1


def test_a_control_that_is_not_comparable_is_not_used():
    comparison, control = control_case(0.85, 0.85, judge_name="judge-2")
    decision = judge(comparison, RULE, control=control)

    assert decision.verdict is Verdict.FAILED
    assert any("it is not used" in line for line in decision.warnings)


def test_a_clean_candidate_needs_no_control():
    comparison, control = control_case(0.5, 0.98)

    assert not any("today" in w for w in judge(comparison, RULE, control=control).warnings)


def test_a_control_that_lacks_samples_is_not_used():
    comparison, control = control_case(0.85, 0.85)
    few = control.amended(records=tuple(r for r in control.records if r.sample_id != "q0007"))
    decision = judge(comparison, RULE, control=few)

    assert decision.verdict is Verdict.FAILED
    assert any("it is not used" in line for line in decision.warnings)
