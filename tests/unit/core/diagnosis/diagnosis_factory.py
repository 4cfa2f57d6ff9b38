"""Records of one sample in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragate.models import (
    Failure,
    MetricInfo,
    Needs,
    Reads,
    Record,
    RetrievedChunk,
    Run,
    Sample,
    SystemInfo,
    SystemOutput,
)
from tests.factories import record_factory, run_factory

METRICS = {
    "mrr": MetricInfo(name="mrr", reads=Reads.RETRIEVAL),
    "idf_f1": MetricInfo(name="idf_f1"),
    "correctness": MetricInfo(
        name="correctness", needs=Needs.JUDGE, low=1.0, high=5.0, unit="grade"
    ),
    "faithfulness": MetricInfo(name="faithfulness", needs=Needs.JUDGE),
}
SAMPLE = Sample(
    id="q1",
    query="How many requests a minute?",
    relevant={"limits.md": 1},
    references=("600 requests a minute for each key",),
)
TEXTS = {
    "limits.md": "The limit is 600 requests a minute for each key.",
    "old.md": "Until 2019 it was 250 requests, set by Marlow.",
    "other.md": "Invoices come on the first of the month.",
    "third.md": "Nothing about limits here.",
}
RIGHT = "The limit is 600 requests a minute."


def record(
    docs: Sequence[str] = ("limits.md", "other.md"),
    answer: str | None = RIGHT,
    *,
    run: int = 0,
    sample: Sample = SAMPLE,
    error: Failure | None = None,
    request: str | None = None,
    light: bool = False,
    **scores: float,
) -> Record:
    """Return a record; ``light`` takes the texts away after hashing, as a baseline does."""
    chunks = tuple(RetrievedChunk(doc_id=one, text=TEXTS.get(one, one)) for one in docs)
    output = SystemOutput(chunks=chunks, answer=answer, error=error, request_hash=request)
    whole = record_factory(sample, output, run=run, scores=dict(scores))
    bare = tuple(RetrievedChunk(doc_id=one) for one in docs)
    return whole.amended(output=output.amended(chunks=bare)) if light else whole


def with_texts(made: Record, *texts: str) -> Record:
    """Return the record with other texts of its chunks, and the hashes that follow."""
    chunks = tuple(
        chunk.amended(text=text) for chunk, text in zip(made.output.chunks, texts, strict=True)
    )
    other = record_factory(output=made.output.amended(chunks=chunks), run=made.run)
    return other.amended(
        sample_id=made.sample_id, content_hash=made.content_hash, scores=made.scores
    )


def run_of(
    *records: Record,
    metrics: Mapping[str, MetricInfo] = METRICS,
    judge: str | None = "judge-1",
    parts: Mapping[str, str] | None = None,
) -> Run:
    system = SystemInfo(use="x", parts=dict(parts or {}))
    return run_factory(records, system=system, metrics=dict(metrics), judge=judge)
