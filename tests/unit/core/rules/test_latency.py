"""Latency is red only beside a control run of the base in the same job."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragate.baseline import parse_baseline
from ragate.baseline.write import dump_baseline, recorded_now
from ragate.core.comparison.compare import compare
from ragate.models import (
    Decision,
    Direction,
    EarlierRun,
    MetricInfo,
    MetricVerdict,
    Reads,
    Rule,
    Run,
    Score,
    Usage,
    Verdict,
)
from tests.unit.core.decision_factories import columns, judge, run_of, samples_of

P95 = MetricInfo(
    name="latency_p95",
    unit="seconds",
    high=None,
    direction=Direction.LOWER,
    aggregate=True,
    reads=Reads.RUN,
)
QUALITY = MetricInfo(name="token_f1")
N = 60
NOON = "2026-06-01T12:00:00+00:00"


def timed(times: Any, *, words: str, created: str = NOON, remembered: bool = False) -> Run:
    """Return a run of one pass whose samples took `times` seconds."""
    run = run_of(
        {"token_f1": columns(np.full((N, 1), 0.5))},
        samples_of(N),
        infos=(QUALITY,),
        words=words,
        created=created,
    )
    known: dict[str, Any] = {"usage": Usage(), "request_hash": "r"} if remembered else {}
    records = tuple(
        record.amended(
            output=record.output.model_copy(update={"latency_s": float(times[number]), **known})
        )
        for number, record in enumerate(run.records)
    )
    manifest = run.manifest.amended(metrics={**run.manifest.metrics, P95.name: P95})
    score = Score(metric=P95.name, value=float(np.quantile(times, 0.95)))
    return Run(manifest=manifest, records=records, aggregates=({P95.name: score},))


def judged(candidate: Run, control: Run | None) -> Decision:
    baseline = timed(TIMES, words="before")
    rules = [Rule(metric="latency_p95", max_increase=0.2), Rule(metric="token_f1")]
    return judge(compare(baseline, candidate, samples_of(N)), *rules, control=control)


def row(decision: Decision) -> Any:
    return next(row for row in decision.metrics if row.metric == "latency_p95")


TIMES = np.random.default_rng(5).lognormal(0, 0.3, size=N)


def test_half_again_as_slow_as_the_control_is_red():
    decision = judged(timed(TIMES * 1.5, words="after"), timed(TIMES, words="control"))

    assert decision.verdict is Verdict.FAILED
    assert row(decision).verdict is MetricVerdict.REGRESSED
    assert "mean time +50.0% against the control run; 20% allowed" in decision.reasons[0]


def test_without_a_control_it_is_shown_with_what_would_settle_it():
    decision = judged(timed(TIMES * 1.5, words="after"), None)

    assert decision.verdict is Verdict.PASSED
    assert row(decision).verdict is MetricVerdict.SHOWN
    assert "max_increase needs a control run" in row(decision).reason
    assert f"latency_p95: {row(decision).reason}" in decision.warnings


def test_the_time_to_the_first_token_is_held_against_that_of_the_control():
    """The whole time stays what it was: an answer that begins later and ends as before."""
    info = P95.amended(name="first_token_p95")

    def run(factor: float, words: str) -> Run:
        whole = timed(TIMES, words=words)
        records = tuple(
            record.amended(output=record.output.amended(first_token_s=factor * TIMES[number] / 4))
            for number, record in enumerate(whole.records)
        )
        score = Score(metric=info.name, value=1.0)
        manifest = whole.manifest.amended(metrics={QUALITY.name: QUALITY, info.name: info})
        return Run(manifest=manifest, records=records, aggregates=({info.name: score},))

    rules = [Rule(metric=info.name, max_increase=0.2), Rule(metric="token_f1")]
    compared = compare(run(1, "before"), run(1.5, "after"), samples_of(N))
    decision = judge(compared, *rules, control=run(1, "control"))

    assert decision.verdict is Verdict.FAILED
    assert "first_token_p95: mean time +50.0%" in decision.reasons[0]


@pytest.mark.parametrize("control", [None, timed(TIMES, words="control")])
def test_a_rule_with_max_increase_is_not_said_to_gate_nothing(control: Run | None):
    decision = judged(timed(TIMES * 1.5, words="after"), control)

    assert not any("gates nothing" in said for said in decision.warnings)


@pytest.mark.parametrize(
    ("control", "verdict"), [(True, Verdict.PASSED), (False, Verdict.NO_DECISION)]
)
def test_a_gate_on_latency_alone_needs_its_control(control: bool, verdict: Verdict):
    rules = [Rule(metric="latency_p95", max_increase=0.2), Rule(metric="token_f1", level="warn")]
    comparison = compare(
        timed(TIMES, words="before"), timed(TIMES * 1.05, words="after"), samples_of(N)
    )
    beside = timed(TIMES, words="control") if control else None

    assert judge(comparison, *rules, control=beside).verdict is verdict


def test_a_slow_session_slows_both_and_is_held():
    slow = TIMES * 1.5

    decision = judged(timed(slow, words="after"), timed(slow, words="control"))

    assert row(decision).verdict is MetricVerdict.HELD


def test_slower_than_allowed_and_not_proven_cannot_tell():
    after = TIMES.copy()
    after[:5] *= 20.0

    decision = judged(timed(after, words="after"), timed(TIMES, words="control"))

    assert row(decision).verdict is MetricVerdict.CANNOT_TELL
    assert "mean time +28.4% against the control run; 20% allowed" in row(decision).reason
    assert "not proven by these 60" in row(decision).reason


def test_passes_of_earlier_runs_are_no_part_of_the_time():
    slow, quick = timed(TIMES * 1.5, words="after"), timed(TIMES, words="after")
    later = tuple(record.amended(run=1) for record in slow.records)
    before = EarlierRun(created="2026-05-31T12:00:00+00:00", passes=1)
    update = {"earlier": (before,), "same_state": True, "runs": 2}
    both = Run(
        manifest=slow.manifest.model_copy(update=update),
        records=(*quick.records, *later),
        aggregates=(*quick.aggregates, *slow.aggregates),
    )

    decision = judged(both, timed(TIMES, words="control"))

    assert "mean time +50.0% against the control run" in row(decision).reason
    assert row(decision).verdict is MetricVerdict.REGRESSED


@pytest.mark.parametrize("created", ["2026-06-01T06:00:00+00:00", ""])
def test_a_control_of_another_session_does_not_decide(created: str):
    control = timed(TIMES, words="control", created=created)

    decision = judged(timed(TIMES * 1.5, words="after"), control)

    assert row(decision).verdict is MetricVerdict.SHOWN


def test_answers_from_memory_say_nothing_of_the_time_they_took():
    control = timed(TIMES / 100, words="control", remembered=True)

    decision = judged(timed(TIMES, words="after"), control)

    assert row(decision).verdict is MetricVerdict.SHOWN
    assert "fewer than 20 samples were timed on both sides" in row(decision).reason


def test_the_baselines_own_figure_stands_beside_it():
    baseline = timed(TIMES, words="before")
    facts = recorded_now(baseline, date="2026-06-01")
    read = parse_baseline(dump_baseline(baseline, store="answers", recorded=facts), where="b.json")

    comparison = compare(read, timed(TIMES * 1.5, words="after"), samples_of(N))

    pair = comparison.aggregates["latency_p95"]
    assert pair.baseline == pytest.approx(float(np.quantile(TIMES, 0.95)), abs=1e-3)
