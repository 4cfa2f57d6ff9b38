"""Recordings under a metric whose table is fitted on the golden set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ragate import plugins
from ragate.baseline import Recorded, dump_baseline
from ragate.models import Sample, Score
from ragate.protocols import Metric
from tests.factories import output_factory, record_factory, run_factory, sample_factory

GOLDEN = {
    "q1": "Paris is the capital",
    "q2": "Rome is the capital",
    "q3": "apples are red",
}
ANSWERS = {"q1": "the capital is Paris", "q2": "Rome", "q3": "apples are green"}


def questions(golden: Mapping[str, str]) -> list[Sample]:
    return [sample_factory(key, references=(text,)) for key, text in golden.items()]


def recorded_on(golden: Mapping[str, str], answers: Mapping[str, str], *, day: int = 1) -> bytes:
    """The file that a recording of these answers gives, under idf_f1 and token_f1."""
    samples = questions(golden)
    metrics = [
        cast("Metric", plugins.metric(name, samples=samples)) for name in ("idf_f1", "token_f1")
    ]
    records = []
    for sample in samples:
        output = output_factory(answer=answers[sample.id])
        scores: dict[str, float | Score | None] = {
            one.info.name: one.score_samples([(sample, output)])[0] for one in metrics
        }
        records.append(record_factory(sample, output, scores=scores))
    run = run_factory(
        records,
        dataset="golden.jsonl",
        metrics={one.info.name: one.info for one in metrics},
        states={one.info.name: one.state for one in metrics if one.state},
    )
    recorded = Recorded(commit=f"{day}" * 40, date=f"2026-01-0{day}")
    return dump_baseline(run, store="answers", recorded=recorded)
