"""The drop that is allowed: of each metric, by a rule, and beside the change."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.config.rules import check_rule
from ragate.errors import ConfigError
from ragate.models import (
    Decision,
    MetricInfo,
    MetricVerdict,
    Needs,
    Rule,
    Verdict,
)
from tests.unit.core.decision_factories import EXACT, exact_pair, judge, noisy_pair, row_of
from tests.unit.core.rules.allowance_factories import worse_by

RULE = Rule(metric="faithfulness")


GRADE = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)


def verdict_of(decision: Decision) -> MetricVerdict:
    return row_of(decision, "faithfulness").verdict


def allowed(decision: Decision) -> float | None:
    return row_of(decision, "faithfulness").allowed


def test_wrong_names_in_a_quarter_of_the_answers_are_red_at_a_drop_of_14_thousandths():
    decision = judge(worse_by(0.014), RULE)

    assert decision.verdict is Verdict.FAILED
    assert allowed(decision) == 0.01


def test_a_proven_drop_below_the_allowance_is_yellow_and_named():
    decision = judge(worse_by(0.009), RULE)

    assert verdict_of(decision) is MetricVerdict.WORSE_HERE
    assert "smaller than 0.010, from where on it counts" in row_of(decision, "faithfulness").reason


def test_what_rewording_costs_a_metric_is_allowed_beside_the_hundredth():
    known = MetricInfo(name="faithfulness", falls_reworded=0.004, needs=Needs.JUDGE)
    decision = judge(worse_by(0.0135, info=known), RULE)

    assert allowed(decision) == pytest.approx(0.014)
    assert verdict_of(decision) is MetricVerdict.WORSE_HERE
    assert judge(worse_by(0.0145, info=known), RULE).verdict is Verdict.FAILED


def test_worse_on_these_questions_alone_is_yellow_from_two_points_on():
    """Four losses are too few to be proven for fresh questions, and enough for this set."""

    def decided(n: int) -> Decision:
        after = np.ones((n, 3))
        after[:4] = 0.0
        return judge(noisy_pair(np.ones((n, 3)), after), RULE, alpha=0.005)

    assert row_of(decided(250), "faithfulness").p_here == pytest.approx(0.0, abs=0.001)
    assert verdict_of(decided(250)) is MetricVerdict.HELD  # 0.016 of 0.02
    assert verdict_of(decided(200)) is MetricVerdict.WORSE_HERE


def test_the_rule_of_a_metric_wins():
    decision = judge(worse_by(0.009), Rule(metric="faithfulness", max_drop=0.005))

    assert decision.verdict is Verdict.FAILED
    assert allowed(decision) == 0.005


def test_a_rule_speaks_in_the_unit_of_its_metric():
    grades = Rule(metric="faithfulness", max_drop=0.2)
    decision = judge(worse_by(0.04, info=GRADE), grades)

    assert row_of(decision, "faithfulness").change == pytest.approx(-0.16)
    assert allowed(decision) == pytest.approx(0.2)
    assert verdict_of(decision) is MetricVerdict.WORSE_HERE
    assert allowed(judge(worse_by(0.04, info=GRADE), RULE)) == pytest.approx(0.04)


def test_what_repeats_exactly_is_allowed_its_limit():
    decision = judge(exact_pair([1.0] * 10, [1.0] * 9 + [0.5]), Rule(metric=EXACT.name))
    row = row_of(decision, EXACT.name)

    assert (row.allowed, row.limit) == (0.05, 0.05)


@pytest.mark.parametrize(("info", "width"), [(MetricInfo(name="faithfulness"), 1.0), (GRADE, 4.0)])
def test_a_drop_that_no_metric_can_make_is_refused(info, width):
    check_rule(Rule(metric="faithfulness", max_drop=width - 0.01), info)

    with pytest.raises(ConfigError, match=f"max_drop = {width:g}: no drop is that large"):
        check_rule(Rule(metric="faithfulness", max_drop=width), info)


def test_a_rate_over_the_run_has_no_drop_of_its_own():
    info = MetricInfo(name="refusal_f1", aggregate=True)

    with pytest.raises(ConfigError, match="max_drop does not apply"):
        check_rule(Rule(metric="refusal_f1", max_drop=0.1, minimum=0.5), info)
