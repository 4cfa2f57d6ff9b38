"""Rows of metrics for the tests of this folder."""

from __future__ import annotations

from typing import Any

from ragate.core.diagnosis.symptoms import symptoms
from ragate.models import Cause, CauseKind, MetricRow, MetricVerdict, SampleRow


def row(metric: str, mean: float | None, change: float | None = None, **more: Any) -> MetricRow:
    before = None if mean is None or change is None else mean - change
    fields: dict[str, Any] = {"level": "error", "verdict": MetricVerdict.UNCHANGED, "n": 50} | more
    return MetricRow(metric=metric, baseline=before, candidate=mean, change=change, **fields)


def flipped(kind: CauseKind, number: int) -> SampleRow:
    cause = Cause(kind=kind, evidence="x")
    return SampleRow(sample_id=str(number), query="q", change="worse", cause=cause)


LOST = [row("exact_match", 0.9, -0.02, verdict=MetricVerdict.REGRESSED)]


def found(*rows: MetricRow) -> list[str]:
    return [one.symptom.partition(":")[0] for one in symptoms(rows)]
