"""Tests of these questions against the slow second implementation, and corners of the rule."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.models import (
    Direction,
    Failure,
    MetricInfo,
    MetricVerdict,
    Needs,
    Reads,
    Rule,
    Sample,
    Score,
    Verdict,
)
from tests.night import NIGHT
from tests.unit.core.decision_factories import (
    columns,
    compared,
    judge,
    row_of,
    run_of,
    samples_of,
)

NAMES = ("a", "b", "c")


@pytest.mark.parametrize("seed", range(24 if NIGHT else 8))
def test_what_these_questions_show_agrees_with_the_reference(reference, seed):
    rng = np.random.default_rng(seed)
    n, runs = int(rng.integers(30, 120)), int(rng.integers(1, 4))
    level = rng.beta(5, 1.5, (n, 1, 3))
    scores = np.clip(level + rng.normal(0, 0.05, (n, 3 + runs, 3)), 0, 1)
    scores[:, 3:, 0] *= 1 - rng.choice([0, 0.04, 0.2])
    scores[:, 3:, 1] = np.clip(scores[:, 3:, 1] + rng.choice([0, 0.03]), 0, 1)
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in NAMES]
    samples = samples_of(n)
    sides = [
        run_of(
            {name: columns(part[:, :, place]) for place, name in enumerate(NAMES)},
            samples,
            infos=infos,
            words=words,
        )
        for part, words in ((scores[:, :3], "before"), (scores[:, 3:], "after"))
    ]
    rules = [Rule(metric=name) for name in NAMES]
    decision = judge(compare(sides[0], sides[1], samples), *rules, alpha=0.05)
    theirs = reference.decide(
        scores[:, :3], scores[:, 3:], NAMES, ["graded"] * 3, [0.0] * 3, [0.05] * 3
    )

    for name, found in zip(NAMES, theirs, strict=True):
        row = row_of(decision, name)
        assert row.p_here == pytest.approx(found.p_adj, abs=0.02)
        assert row.change == pytest.approx(-found.drop)


def test_a_cluster_without_a_whole_sample_is_no_decision():
    samples = [Sample(id=f"q{row}", query=f"{row}", metadata={"doc": "x"}) for row in range(4)]
    holes = {"faithfulness": [[1.0, None]] * 4}
    comparison = compared(holes, {"faithfulness": [[1.0]] * 4}, samples, cluster="doc")

    assert judge(comparison, Rule(metric="faithfulness"), max_unscored=0.6).exit_code == 3


def test_a_failed_aggregate_is_not_decided_when_every_sample_failed():
    rate = MetricInfo(name="error_rate", aggregate=True, reads=Reads.RUN, direction=Direction.LOWER)
    samples = samples_of(3)
    down = {sample.id: Failure(kind="provider", message="503") for sample in samples}
    runs = [
        run_of({"faithfulness": [[0.0]] * 3}, samples, failures=failures) for failures in ({}, down)
    ]
    before, after = (
        run.amended(
            manifest=run.manifest.amended(metrics={"error_rate": rate}),
            aggregates=({"error_rate": Score(metric="error_rate", value=value)},),
        )
        for run, value in zip(runs, (0.0, 1.0), strict=True)
    )
    decision = judge(compare(before, after, samples), Rule(metric="error_rate", maximum=0.1))

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == ("3 of 3 questions failed: 503",)


def test_a_metric_at_warning_level_that_cannot_be_judged_leaves_no_trace_in_the_verdict():
    samples = samples_of(30)
    both = {"faithfulness": [[1.0]] * 30, "ndcg@10": [[None]] * 30}
    comparison = compared(both, both, samples)
    decision = judge(comparison, Rule(metric="faithfulness"), Rule(metric="ndcg@10", level="warn"))

    assert row_of(decision, "ndcg@10").verdict is MetricVerdict.NOT_MEASURED
    assert decision.verdict is Verdict.PASSED
