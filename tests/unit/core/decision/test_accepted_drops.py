"""A drop that was accepted is not red."""

from __future__ import annotations

from ragate.models import Acceptance, Rule, Verdict
from tests.unit.core.decision.pooling_factories import ONE, candidate, confirmed, judged, passes
from tests.unit.core.decision_factories import EXACT, exact_pair, judge, row_of
from tests.unit.core.rules.floor_factories import floor_of

ACCEPTED_DROP = Acceptance(metric="faithfulness", by="mona", reason="on purpose")


ACCEPTED = Acceptance(metric="faithfulness", by="mona", reason="the new policy is shorter")


def test_a_drop_that_was_accepted_is_not_red_by_its_earlier_passes_either():
    decision = confirmed(ONE, ONE, ONE, accepted=(ACCEPTED_DROP,))

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "faithfulness").accepted
    assert decision.accepted == (ACCEPTED_DROP,)


def test_what_is_red_alone_and_accepted_is_accepted_once():
    lost = range(12)
    run = candidate(passes(*[lost] * 6), earlier=3)

    decision = judged(run, accepted=(ACCEPTED_DROP,))

    assert decision.accepted == (ACCEPTED_DROP,)
    assert "over all passes" not in row_of(decision, "faithfulness").reason


def test_an_accepted_floor_is_shown_and_does_not_block():
    decision, floor = floor_of(100, 80, 0.9, accepted=[ACCEPTED])
    assert decision.verdict is Verdict.PASSED
    assert decision.exit_code == 0
    assert floor.met is False
    row = row_of(decision, "faithfulness")
    assert (row.blocks, row.accepted) == (False, True)
    assert decision.accepted == (ACCEPTED,)
    said = "accepted by mona (the new policy is shorter): faithfulness is 0.800"
    assert any(warning.startswith(said) for warning in decision.warnings)


def test_accepting_one_metric_leaves_another_red():
    comparison = exact_pair([1.0] * 20, [0.0] * 20)
    rule = Rule(metric=EXACT.name, max_drop=0.0)
    assert judge(comparison, rule, accepted=[ACCEPTED]).verdict is Verdict.FAILED
    taken = ACCEPTED.amended(metric=EXACT.name)
    assert judge(comparison, rule, accepted=[taken]).verdict is Verdict.PASSED


def test_accepting_what_holds_changes_nothing():
    plain, _ = floor_of(100, 95, 0.9)
    taken, _ = floor_of(100, 95, 0.9, accepted=[ACCEPTED])
    assert taken == plain
