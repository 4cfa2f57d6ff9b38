"""Metrics over a whole run are shown, and gate by their limit alone."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import Direction, MetricInfo, MetricVerdict, Rule, Run, Score, Verdict, unscored
from tests.unit.core.decision_factories import EXACT, judge, noisy_pair, row_of, run_of, samples_of
from tests.unit.core.rules.noisy_factories import flips

P95 = MetricInfo(name="p95", aggregate=True, high=None, direction=Direction.LOWER, unit="seconds")


def aggregate_pair(value: float | None, **rule: Any):
    samples = samples_of(2)
    score = unscored("p95", "no latency") if value is None else Score(metric="p95", value=value)

    def run(found: Score) -> Run:
        made = run_of({"ndcg@10": [[1.0, 1.0]] * 2}, samples, infos=(EXACT,), same_outputs=True)
        manifest = made.manifest.amended(metrics={"ndcg@10": EXACT, "p95": P95})
        return made.amended(manifest=manifest, aggregates=({"p95": found},))

    comparison = compare(run(Score(metric="p95", value=1.0)), run(score), samples)
    return judge(comparison, Rule(metric="p95", **rule))


def test_an_aggregate_is_shown_with_both_sides_and_held_against_its_limit_only():
    held = aggregate_pair(2.0, maximum=3.0)
    broken = aggregate_pair(4.0, maximum=3.0)

    assert held.verdict is Verdict.PASSED
    assert row_of(held, "p95").change == 1.0
    assert broken.reasons == ("p95 is 4.000, above its maximum 3.000",)


def test_an_aggregate_without_a_value_or_limit_gates_nothing():
    assert aggregate_pair(None, maximum=3.0).reasons == ("no latency",)
    assert aggregate_pair(None, maximum=3.0, level="warn").exit_code == 3
    limitless = aggregate_pair(2.0)
    assert limitless.verdict is Verdict.NO_DECISION
    assert any("shown and cannot fail the gate" in line for line in limitless.warnings)


def test_without_a_baseline_everything_is_shown_and_nothing_passes():
    samples = samples_of(4)
    candidate = run_of({"ndcg@10": [[1.0], [0.0], [1.0], [None]]}, samples)
    candidate = candidate.amended(
        manifest=candidate.manifest.amended(
            metrics={
                "ndcg@10": EXACT,
                "p95": MetricInfo(name="p95", aggregate=True, high=None),
            }
        ),
        aggregates=({"p95": Score(metric="p95", value=1.5)},),
    )
    decision = judge(
        compare(None, candidate, samples),
        Rule(metric="ndcg@10", minimum=0.2),
        Rule(metric="p95", level="warn"),
        Rule(metric="faithfulness"),
    )

    assert compare(None, candidate, samples).data.added == ()
    assert decision.verdict is Verdict.NO_DECISION
    assert decision.remedies == ("ragate baseline update",)
    assert row_of(decision, "ndcg@10").verdict is MetricVerdict.SHOWN
    assert row_of(decision, "ndcg@10").candidate == pytest.approx(2 / 3)
    assert row_of(decision, "ndcg@10").floor is not None
    assert row_of(decision, "p95").candidate == 1.5
    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_MEASURED


def test_a_metric_measured_without_a_rule_is_shown_as_a_warning():
    decision = judge(noisy_pair(*flips(60, 6)))

    assert row_of(decision, "faithfulness").level == "warn"
    assert decision.verdict is Verdict.NO_DECISION
