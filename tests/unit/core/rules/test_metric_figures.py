"""One noisy metric's figures, in its own unit and direction."""

from __future__ import annotations

import pytest

from ragate.models import Direction, MetricInfo, MetricVerdict, Needs, Rule, Verdict
from tests.unit.core.decision_factories import NOISY, judge, noisy_pair, row_of
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


def test_where_lower_is_better_a_rise_is_red_and_the_interval_has_its_sign():
    info = NOISY.amended(direction=Direction.LOWER)
    before, after = flips(100, 10)
    decision = judge(noisy_pair(1 - before, 1 - after, info=info), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.FAILED
    assert row.change == pytest.approx(0.1)
    assert row.interval is not None
    assert 0 < row.interval[0] < 0.1 < row.interval[1]


def test_grades_are_mapped_and_shown_in_their_own_unit():
    info = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)
    before, after = flips(100, 10)
    row = row_of(judge(noisy_pair(1 + 4 * before, 1 + 4 * after, info=info), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.REGRESSED
    assert row.baseline == pytest.approx(5.0)
    assert row.change == pytest.approx(-0.4)
    assert row.mde == pytest.approx(0.051 * 4)
