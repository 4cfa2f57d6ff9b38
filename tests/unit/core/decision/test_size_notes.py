"""What a small set can hardly see is said while it is of use."""

from __future__ import annotations

import numpy as np

from ragate.models import Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair

RULE = Rule(metric="faithfulness")


def test_the_fewest_losses_are_those_of_the_deciding_claim():
    pair = noisy_pair(np.ones((15, 3)), np.ones((15, 1)))

    for claim, losses in (("this-set", 3), ("generalise", 5)):
        said = f"of 15 samples at least {losses} must get worse before this gate can fail"
        assert said in judge(pair, RULE, claim=claim).warnings


def test_a_red_verdict_does_not_say_what_must_get_worse_before_the_gate_can_fail():
    red = judge(noisy_pair(np.ones((15, 3)), np.zeros((15, 1))), RULE)

    assert red.verdict is Verdict.FAILED
    assert not any("must get worse" in said for said in (*red.warnings, *red.reasons))
