"""What a small set can hardly see is said while it is of use."""

from __future__ import annotations

import numpy as np

from ragate.models import Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair

RULE = Rule(metric="faithfulness")


def test_the_fewest_losses_that_can_fail_are_said():
    said = "of 15 samples at least 5 must get worse before this gate can fail"

    assert said in judge(noisy_pair(np.ones((15, 3)), np.ones((15, 1))), RULE).warnings


def test_a_red_verdict_does_not_say_what_must_get_worse_before_the_gate_can_fail():
    red = judge(noisy_pair(np.ones((15, 3)), np.zeros((15, 1))), RULE)

    assert red.verdict is Verdict.FAILED
    assert not any("must get worse" in said for said in (*red.warnings, *red.reasons))
