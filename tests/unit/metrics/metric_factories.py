"""Samples, outputs and metrics for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.models import Failure, RetrievedChunk, Sample, Score, ScoreState, SystemOutput
from ragate.protocols import Aggregate, Metric, MetricRequest, Pair

DATA = Path(__file__).parents[3] / "../shared/data"

RETRIEVAL = (
    "hit_rate@10", "mrr", "mrr@10", "recall@10", "precision@10", "map", "map@10", "ndcg@10",
    "r_precision", "judged@10",
)  # fmt: skip
REFERENCE = (
    "exact_match", "contains", "token_f1", "rouge_l", "char_3gram_recall", "idf_f1",
    "number_recall",
)  # fmt: skip
CLAIMS = (
    "lexical_support", "unsupported_numbers", "citation_validity", "citation_coverage",
    "quote_fidelity",
)  # fmt: skip
REFUSALS = ("refusal_recall", "false_refusal")
ON_SAMPLES = (*RETRIEVAL, *REFERENCE, *CLAIMS, *REFUSALS, "error_rate")
AGGREGATES = ("refusal_f1", "latency_p50", "latency_p95", "retrieved_tokens")


def data_folder(name: str) -> Path:
    """Return a folder of the shared data, or skip the test."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the data set {name} is not beside this checkout")
    return folder


def make(
    name: str,
    *,
    settings: Mapping[str, Any] | None = None,
    samples: Sequence[Sample] = (),
    state: Mapping[str, float] | None = None,
) -> Any:
    base, _, k = name.partition("@")
    request = MetricRequest(
        name=name,
        k=int(k) if k else None,
        settings=settings or {},
        samples=samples,
        state=state,
    )
    return plugins.load("metrics", base).create(request)


def metric(name: str, **given: Any) -> Metric:
    made: Metric = make(name, **given)
    return made


def aggregate(name: str, pairs: Sequence[Pair], **given: Any) -> Score:
    made: Aggregate = make(name, **given)
    return made.aggregate(pairs)


def score(name: str, sample: Sample, output: SystemOutput, **given: Any) -> Score:
    [result] = metric(name, **given).score_samples([(sample, output)])
    return result


def value(name: str, sample: Sample, output: SystemOutput, **given: Any) -> float:
    result = score(name, sample, output, **given)
    assert result.state is ScoreState.VALUE, result
    assert result.value is not None
    return result.value


def asked(
    *references: str,
    answerable: bool = True,
    query: str = "What is it?",
    relevant: Mapping[str, int] | None = None,
) -> Sample:
    return Sample(
        id="q1",
        query=query,
        relevant=dict(relevant or {}),
        references=references,
        answerable=answerable,
    )


def judged(**relevant: int) -> Sample:
    return asked(relevant=relevant)


def retrieved(*doc_ids: str) -> SystemOutput:
    return SystemOutput(chunks=tuple(RetrievedChunk(doc_id=doc_id) for doc_id in doc_ids))


def answered(
    answer: str | None, *texts: str, citations: tuple[int, ...] | None = None
) -> SystemOutput:
    chunks = [RetrievedChunk(doc_id=f"d{n}", text=text) for n, text in enumerate(texts, start=1)]
    return SystemOutput(chunks=tuple(chunks), answer=answer, citations=citations)


def broken(kind: Any = "system", *doc_ids: str) -> SystemOutput:
    return retrieved(*doc_ids).amended(error=Failure(kind=kind, message="it broke"), latency_s=9.0)
