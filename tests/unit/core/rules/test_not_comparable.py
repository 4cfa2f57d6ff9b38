"""Why a metric cannot be compared at all."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair, run_of, samples_of

RULE = Rule(metric="faithfulness")


def test_nothing_recorded_is_all_of_it_missing():
    samples = samples_of(10)
    baseline = run_of({"faithfulness": [[1.0]] * 10}, samples)
    bare = baseline.amended(records=())

    assert (
        "faithfulness: 100.0% of the candidate's scores are missing"
        in judge(compare(baseline, bare, samples), RULE).reasons[0]
    )


def test_a_judge_that_scored_nothing_is_what_to_look_at_next():
    pair = noisy_pair([[1.0]] * 10, [[None]] * 10)

    assert judge(pair, RULE).remedies[:1] == ("ragate calibrate",)


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_too_much_unscored_on_either_side_is_no_decision(side):
    whole = [[1.0]] * 60
    holes = [[None]] * 5 + [[1.0]] * 55
    sides = (holes, whole) if side == "baseline" else (whole, holes)
    decision = judge(noisy_pair(*sides), RULE)
    allowed = "5.0%" if side == "baseline" else "6.7%"  # 4 of 60 may be bad luck

    assert decision.verdict is Verdict.NO_DECISION
    assert (
        f"faithfulness: 8.3% of the {side}'s scores are missing; {allowed} is allowed"
        in (decision.reasons[0])
    )
