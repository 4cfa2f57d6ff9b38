"""Metrics on embeddings are asked together; what fails leaves the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragate import plugins
from ragate.errors import ProviderError
from ragate.models import RetrievedChunk, Sample, ScoreState, SystemOutput
from ragate.protocols import MetricClients
from ragate.scoring import asked_metrics
from ragate.scoring.asked_metrics import AskedMetrics

NAMES = ("embedded_context_relevance", "embedded_sufficiency", "embedded_hallucination")
TABLE = {"use": "hashing"}


class Counting:
    fingerprint = "counting"
    deterministic = True

    def __init__(self, fault: str = "") -> None:
        self.asked: list[str] = []
        self.calls = 0
        self._fault = fault

    async def __call__(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        self.calls += 1
        if self._fault and any(self._fault in text for text in texts):
            raise ProviderError("503 for the third time")
        return np.ones((len(texts), 4), dtype=np.float32)


def asked_of(embedder: Counting, *names: str) -> AskedMetrics:
    clients = MetricClients(lambda _name: None, lambda _table: embedder)  # type: ignore[arg-type, return-value]
    metrics = [plugins.metric(n, settings={"embedder": TABLE}, clients=clients) for n in names]
    return AskedMetrics(metrics, baseline=None, concurrency=2, timeout_s=5.0)


def output(answer: str, *texts: str) -> SystemOutput:
    chunks = tuple(RetrievedChunk(doc_id=f"d{n}", text=text) for n, text in enumerate(texts))
    return SystemOutput(answer=answer, chunks=chunks)


def scores_of(asked: AskedMetrics, sample: Sample, given: SystemOutput) -> list[Any]:
    return [metric.score_samples([(sample, given)])[0] for metric in asked.metrics]  # type: ignore[union-attr]


def test_each_distinct_text_of_a_run_is_embedded_once_in_one_call() -> None:
    embedder = Counting()
    asked = asked_of(embedder, *NAMES)
    samples = [Sample(id=f"q{n}", query=f"Question {n % 10}?") for n in range(50)]
    outputs = {
        sample.id: output(f"Answer {n % 7}. Yes.", "shared passage", f"passage {n % 5}")
        for n, sample in enumerate(samples)
    }

    asyncio.run(asked.measure([outputs, outputs], samples))

    assert len(embedder.asked) == len(set(embedder.asked)) == 10 + 7 + 1 + 1 + 5
    assert embedder.calls == 1
    assert {s.value for one in samples for s in scores_of(asked, one, outputs[one.id])} == {
        0.0,
        1.0,
    }


def test_a_large_run_is_embedded_in_parts_and_no_text_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asked_metrics, "TOGETHER", 4)
    embedder = Counting()
    asked = asked_of(embedder, *NAMES)
    samples = [Sample(id=f"q{n}", query=f"Question {n}?") for n in range(8)]
    outputs = {sample.id: output("Yes indeed.", "shared") for sample in samples}

    asyncio.run(asked.measure([outputs], samples))

    assert embedder.calls == 6
    assert sorted(embedder.asked) == sorted({"shared", "Yes indeed.", *(s.query for s in samples)})


def test_what_an_embedder_refuses_is_unscored_with_its_reason_and_settled_scores_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asked_metrics, "TOGETHER", 3)
    asked = asked_of(Counting(fault="broken"), *NAMES)
    good, bad, empty = (Sample(id=name, query=name) for name in ("good", "broken", "empty"))
    outputs = {"good": output("a", "b"), "broken": output("a", "b"), "empty": output("a")}

    asyncio.run(asked.measure([outputs], [good, bad, empty]))

    assert [s.value for s in scores_of(asked, good, outputs["good"])] == [1.0, 1.0, 0.0]
    assert [s.value for s in scores_of(asked, empty, outputs["empty"])] == [0.0, 0.0, 1.0]
    relevance = scores_of(asked, bad, outputs["broken"])[0]
    assert relevance.state is ScoreState.UNSCORED
    assert "503 for the third time" in relevance.reason


def test_a_metric_that_raises_is_unscored_and_others_go_on() -> None:
    asked = asked_of(Counting(), *NAMES)
    sample = Sample(id="q", query="x")

    class Raising:
        info = asked.metrics[0].info
        state: dict[str, float] = {}
        embedder = Counting()

        def texts(self, *_pair: Any) -> Sequence[str]:
            raise KeyError("none")

        def score(self, *_given: Any) -> Any:
            raise ValueError("never")

    raising = AskedMetrics([Raising()], baseline=None, concurrency=1, timeout_s=5.0)  # type: ignore[list-item]

    asyncio.run(raising.measure([{"q": output("a", "b")}], [sample]))

    (found,) = scores_of(raising, sample, output("a", "b"))
    assert found.reason.startswith("KeyError: 'none' (test_asked_metrics.py:")


def test_what_got_no_score_is_asked_about_again_unless_half_of_the_outputs_got_none() -> None:
    asked = asked_of(Counting(fault="broken"), NAMES[0])
    good, other, bad = (Sample(id=name, query=name) for name in ("good", "fine", "broken"))
    outputs = {"good": output("a", "b"), "fine": output("c", "b"), "broken": output("a", "b")}
    asyncio.run(asked.measure([outputs], [good]))
    asyncio.run(asked.measure([outputs], [other]))
    asyncio.run(asked.measure([outputs], [bad]))

    assert asked.forget_unscored()
    assert scores_of(asked, bad, outputs["broken"])[0].reason == "was not asked"
    assert scores_of(asked, good, outputs["good"])[0].value == 1.0

    alone = asked_of(Counting(fault="broken"), NAMES[0])
    both = [bad, bad.amended(id="b2", query="broken too")]
    asyncio.run(alone.measure([{"broken": output("a", "b"), "b2": output("a", "b")}], both))
    assert not alone.forget_unscored()
