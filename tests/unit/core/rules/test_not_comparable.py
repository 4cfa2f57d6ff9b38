"""Why a metric cannot be compared at all."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import Rule, Verdict
from tests.unit.core.decision_factories import judge, run_of, samples_of

RULE = Rule(metric="faithfulness")


def test_nothing_recorded_is_all_of_it_missing():
    samples = samples_of(10)
    baseline = run_of({"faithfulness": [[1.0]] * 10}, samples)
    bare = baseline.amended(records=())

    assert (
        "faithfulness: 100.0% of the candidate's scores are missing"
        in judge(compare(baseline, bare, samples), RULE).reasons[0]
    )


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_too_much_unscored_on_either_side_is_no_decision(side):
    samples = samples_of(60)
    whole = {"faithfulness": [[1.0]] * 60}
    holes = {"faithfulness": [[None]] * 4 + [[1.0]] * 56}
    baseline = run_of(holes if side == "baseline" else whole, samples)
    candidate = run_of(holes if side == "candidate" else whole, samples, words="after")
    decision = judge(compare(baseline, candidate, samples), RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert (
        f"faithfulness: 6.7% of the {side}'s scores are missing; 5.0% is allowed"
        in (decision.reasons[0])
    )


def test_a_few_unscored_that_could_hide_a_regression_leave_no_decision():
    samples = samples_of(100)
    baseline = run_of({"faithfulness": [[1.0] * 3] * 100}, samples, words="before")
    hiding = run_of({"faithfulness": [[None]] * 5 + [[1.0]] * 95}, samples, words="after")
    harmless = run_of({"faithfulness": [[None]] + [[1.0]] * 99}, samples, words="after")
    decision = judge(compare(baseline, hiding, samples), RULE)

    assert decision.reasons == ("faithfulness: what could not be scored could hide a regression",)
    assert decision.exit_code == 3
    assert judge(compare(baseline, harmless, samples), RULE).verdict is Verdict.PASSED
