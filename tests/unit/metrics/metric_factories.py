"""Samples, outputs and metrics for the tests of this folder."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.embedders.hashing import HashingEmbedder, Settings
from ragate.errors import ConfigError
from ragate.models import (
    Failure,
    MetricInfo,
    Needs,
    RetrievedChunk,
    Sample,
    Score,
    ScoreState,
    SystemOutput,
)
from ragate.protocols import (
    Aggregate,
    EmbeddingMetric,
    Metric,
    MetricRequest,
    Pair,
)
from ragate.scoring.asked_metrics import RunVectors

DATA = Path(__file__).parents[3] / "../shared/data"


def make(
    name: str,
    *,
    settings: Mapping[str, Any] | None = None,
    samples: Sequence[Sample] = (),
    state: Mapping[str, float] | None = None,
    eval_date: str = "",
) -> Any:
    base, _, k = name.partition("@")
    request = MetricRequest(
        name=name,
        k=int(k) if k else None,
        settings=settings or {},
        samples=samples,
        state=state,
        eval_date=eval_date,
    )
    return plugins.load("metrics", base).create(request)


def _every_metric() -> Iterator[tuple[str, MetricInfo]]:
    """Yield each metric that is found, with a cut-off where it takes one and without where it may.

    Nothing lists them: a new one is held to what these tests demand from its first day.
    """
    for base in plugins.names("metrics"):
        for name in (base, f"{base}@10"):
            with suppress(ConfigError):  # it takes no cut-off, or needs one
                yield name, make(name).info


EVERY = dict(_every_metric())


def of_family(family: str) -> tuple[str, ...]:
    """Return the metrics on samples of a family."""
    return tuple(
        name
        for name in ON_SAMPLES
        if re.split("[.:]", plugins.locate("metrics", name.partition("@")[0]))[2].startswith(family)
    )


JUDGED = tuple(name for name, info in EVERY.items() if info.needs is Needs.JUDGE)
AGGREGATES = tuple(
    name for name, info in EVERY.items() if info.aggregate and info.needs is Needs.NOTHING
)
ON_SAMPLES = tuple(name for name in EVERY if name not in {*JUDGED, *AGGREGATES})
RETRIEVAL = of_family("retrieval")
REFERENCE = of_family("reference")
CLAIMS = tuple(name for name in of_family("grounding") if not make(name).unusable)
REFUSALS = of_family("refusal")
TOOLS = of_family("tools")
EMBEDDED = of_family("embedding")
CHECKS = of_family("checks")
POLICIES = of_family("policy")
# What an answer takes has no worst value, so a failed sample is left out and does not look cheap.
BOUNDED = tuple(name for name in ON_SAMPLES if EVERY[name].high is not None)


def data_folder(name: str) -> Path:
    """Return a folder of the shared data, or skip the test."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the data set {name} is not beside this checkout")
    return folder


@dataclass(frozen=True)
class ByHashing:
    """A metric on embeddings with vectors of hashed words."""

    embedding: EmbeddingMetric

    @property
    def info(self) -> MetricInfo:
        return self.embedding.info

    @property
    def state(self) -> dict[str, float]:
        return self.embedding.state

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        texts = [text for pair in pairs for text in self.embedding.texts(*pair)]
        vectors = asyncio.run(RunVectors(HashingEmbedder(Settings())).of(texts)) if texts else {}
        return [self.embedding.score(*pair, vectors) for pair in pairs]


def metric(name: str, **given: Any) -> Metric:
    made: Metric = make(name, **given)
    return ByHashing(made) if isinstance(made, EmbeddingMetric) else made


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
