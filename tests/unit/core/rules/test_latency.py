"""A latency above its share warns: times of another day and machine prove nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragate.baseline import parse_baseline
from ragate.baseline.write import dump_baseline, recorded_now
from ragate.config.read import parse_config
from ragate.core.comparison.compare import compare
from ragate.errors import ConfigError
from ragate.models import Decision, Direction, MetricInfo, Reads, Rule, Run, Score, Verdict
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
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "gate.json"
systems = ["replay"]
[policy.metrics.latency_p95]
max_increase = 0.25
[system]
use = "replay"
path = "out.jsonl"
"""


def timed(seconds: float, words: str) -> Run:
    """Return a run of one pass with this 95th percentile."""
    scores = {"token_f1": columns(np.full((N, 1), 0.5))}
    run = run_of(scores, samples_of(N), infos=(QUALITY,), words=words)
    manifest = run.manifest.amended(metrics={**run.manifest.metrics, P95.name: P95})
    score = Score(metric=P95.name, value=seconds)
    return Run(manifest=manifest, records=run.records, aggregates=({P95.name: score},))


def recorded(seconds: float) -> Run:
    """Return such a run as its baseline's file gives it back."""
    run = timed(seconds, "before")
    facts = recorded_now(run, date="2026-06-01")
    return parse_baseline(dump_baseline(run, store="answers", recorded=facts), where="b.json")


def judged(before: float, after: float) -> Decision:
    comparison = compare(recorded(before), timed(after, "after"), samples_of(N))
    rule = Rule(metric="latency_p95", level="warn", max_increase=0.25)
    return judge(comparison, rule, Rule(metric="token_f1"))


def of_latency(decision: Decision) -> list[str]:
    return [said for said in decision.warnings if said.startswith("latency_p95")]


def test_a_latency_above_its_share_warns_and_fails_nothing():
    decision = judged(1.0, 1.3)

    assert decision.verdict is Verdict.PASSED
    [said] = of_latency(decision)
    assert said.startswith("latency_p95: 1.3 s, +30% against the recording; 25% allowed")


@pytest.mark.parametrize("before", [1.25, 0.0])
def test_what_is_allowed_or_cannot_be_told_warns_of_nothing(before: float):
    assert of_latency(judged(before, 1.25)) == []


def test_at_level_error_it_is_refused_with_what_to_write(tmp_path: Path):
    with pytest.raises(ConfigError) as error:
        parse_config(CONFIG, where="ragate.toml", root=tmp_path)

    assert "ragate.toml:7: [policy.metrics.latency_p95]: max_increase = 0.25" in str(error.value)
    assert 'write level = "warn"' in str(error.value)
    assert error.value.exit_code == 2
