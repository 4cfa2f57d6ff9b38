"""Why a metric cannot be compared at all."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.judging.canary_rule import OBEYED, VOIDED
from ragate.models import Rule, Verdict, unscored
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


@pytest.mark.parametrize(
    ("reason", "remedies"),
    [
        (f"judge: {VOIDED} (bad)", ("ragate calibrate",)),
        (f"judge: {OBEYED} (a note)", ("ragate calibrate",)),
        ("judge: 127.0.0.1:9 cannot be reached; check base_url", ()),
        ("judge: no verdict within 60 s", ()),
    ],
)
def test_a_judge_that_was_voided_is_what_to_look_at_next_and_one_that_is_away_is_not(
    reason: str, remedies: tuple[str, ...]
):
    pair = noisy_pair([[1.0]] * 10, [[unscored("faithfulness", reason)]] * 10)

    decision = judge(pair, RULE)

    assert decision.remedies[:1] == remedies
    assert reason in decision.reasons[0]


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_too_much_unscored_on_either_side_is_no_decision(side):
    whole = [[1.0]] * 60
    holes = [[None]] * 9 + [[1.0]] * 51
    sides = (holes, whole) if side == "baseline" else (whole, holes)
    decision = judge(noisy_pair(*sides), RULE)
    allowed = "5.0%" if side == "baseline" else "13.3%"  # 8 of 60 are lost hardly ever

    assert decision.verdict is Verdict.NO_DECISION
    assert (
        f"faithfulness: 15.0% of the {side}'s scores are missing; {allowed} is allowed"
        in (decision.reasons[0])
    )
