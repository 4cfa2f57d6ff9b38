"""Samples that one metric does not count, until a date."""

from __future__ import annotations

import datetime

from ragate.core.rules.waivers import expired
from ragate.models import Rule, Verdict, Waiver
from tests.unit.core.decision_factories import TODAY, exact_pair, judge, noisy_pair, row_of
from tests.unit.core.rules.floor_factories import must_pass
from tests.unit.core.rules.noisy_factories import flips

NDCG = Rule(metric="ndcg@10")


def _waiver(key: str, until: datetime.date) -> Waiver:
    return Waiver(id=key, metric="ndcg@10", owner="docs", reason="under review", until=until)


RULE = Rule(metric="faithfulness")


def test_a_waived_must_pass_sample_is_not_judged():
    waiver = Waiver(id="vat", metric="faithfulness", owner="tax", reason="law changed", until=TODAY)
    decision = must_pass([1.0] * 3, [0.0, 0.0, 0.0], waivers=[waiver])

    assert decision.must_pass == ()
    assert decision.waivers[0].until == "2026-06-01"
    late = waiver.amended(until=TODAY - datetime.timedelta(days=1))
    assert must_pass([1.0] * 3, [0.0, 0.0, 0.0], waivers=[late]).verdict is Verdict.FAILED


def test_a_waived_sample_is_shown_and_not_counted_until_its_date():
    comparison = exact_pair([1.0] * 10, [0.0] * 2 + [1.0] * 8)
    until = [_waiver("q0000", TODAY), _waiver("q0001", TODAY)]
    late = [_waiver("q0000", TODAY), _waiver("q0001", TODAY - datetime.timedelta(days=1))]

    held = judge(comparison, NDCG, waivers=until)
    assert held.verdict is Verdict.PASSED
    assert [row.sample_id for row in held.waivers] == ["q0000", "q0001"]
    assert row_of(held, "ndcg@10").n == 8
    strict = Rule(metric="ndcg@10", max_drop=0.0)
    assert judge(comparison, strict, waivers=late).verdict is Verdict.FAILED
    assert expired(late, TODAY) == (late[1],)


def test_a_waived_sample_is_not_tested():
    waivers = [
        Waiver(
            id=f"q{row:04d}",
            metric="faithfulness",
            owner="x",
            reason="y",
            until=datetime.date(2026, 12, 31),
        )
        for row in range(10)
    ]
    decision = judge(noisy_pair(*flips(100, 10)), RULE, waivers=waivers)

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "faithfulness").n == 90
