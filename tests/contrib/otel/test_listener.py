"""What a run tells becomes spans and events of OpenTelemetry: names, parents, what failed."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON
from opentelemetry.trace import SpanKind

from ragate.contrib.otel.exporting import RandomIds
from ragate.contrib.otel.listener import TelemetryListener
from ragate.contrib.otel.run_counts import RunCounts
from ragate.models import MetricInfo, unscored
from ragate.models.metric_row import PassGroup, PassShare
from ragate.spans import Spanned
from tests.factories import (
    output_factory,
    record_factory,
    report_factory,
    run_factory,
    sample_factory,
)


class Kept:
    """A listener, and what it sent."""

    def __init__(self, *, sampled: bool = True) -> None:
        self._spans, self._events = InMemorySpanExporter(), InMemoryLogRecordExporter()
        tracers = TracerProvider(
            sampler=ALWAYS_ON if sampled else ALWAYS_OFF,
            shutdown_on_exit=False,
            id_generator=RandomIds(),
        )
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        loggers = LoggerProvider(shutdown_on_exit=False)
        loggers.add_log_record_processor(SimpleLogRecordProcessor(self._events))
        meters = MeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
        self.listener = TelemetryListener(
            tracers.get_tracer("ragate"),
            loggers.get_logger("ragate"),
            RunCounts(meters.get_meter("ragate"), event="push"),
            texts=False,
            flush=lambda: None,
        )
        self.span = self.listener.span

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._spans.get_finished_spans())

    @property
    def events(self) -> list[Any]:
        return [each.log_record for each in self._events.get_finished_logs()]


def identity(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def test_what_runs_inside_stands_below_with_what_it_notes():
    kept = Kept()

    facts = {"provider": "anthropic"}
    with kept.span(Spanned.RUN, "", {}) as whole, kept.span(Spanned.CHAT, "m", facts) as note:
        note(input_tokens=7)
        whole(command="check")

    call, run = kept.spans
    assert (run.name, call.name) == ("ragate.run", "chat m")
    assert call.parent is not None
    assert call.parent.span_id == identity(run)
    assert call.kind is SpanKind.CLIENT
    assert run.attributes == {"ragate.command": "check"}
    assert call.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 7,
    }


def test_tasks_at_once_stand_beside_each_other():
    kept = Kept()

    async def sample(name: str) -> None:
        with kept.span(Spanned.SAMPLE, "", {"sample": name, "run": 0}):
            await asyncio.sleep(0)
            with kept.span(Spanned.RETRIEVAL, "", {"chunks": 1}):
                await asyncio.sleep(0)

    async def both() -> None:
        with kept.span(Spanned.RUN, "", {}):
            await asyncio.gather(sample("a"), sample("b"))

    asyncio.run(both())

    run = kept.spans[-1]
    above = {identity(span): span for span in kept.spans}
    assert len({span.context.trace_id for span in kept.spans if span.context}) == 1
    for span in kept.spans[:-1]:
        assert span.parent is not None
        parent = above[span.parent.span_id]
        assert parent.name == ("ragate.sample" if span.name == "retrieval" else run.name)


def test_a_failure_is_named_by_its_type_alone():
    kept = Kept()

    with pytest.raises(ValueError), kept.span(Spanned.DECIDE, "", {}):
        raise ValueError("What is the secret question?")

    (span,) = kept.spans
    assert not span.status.is_ok
    assert span.attributes == {"error.type": "ValueError"}
    assert not span.events
    assert "secret" not in span.to_json()


def test_a_sample_that_failed_is_an_error():
    kept = Kept()

    with kept.span(Spanned.SAMPLE, "", {"sample": "a", "run": 0}) as note:
        note(chunks=0, failed="timeout")

    (span,) = kept.spans
    assert not span.status.is_ok
    assert span.attributes is not None
    assert span.attributes["error.type"] == "timeout"


def test_the_sampler_leaves_out_a_whole_trace():
    kept = Kept(sampled=False)

    with kept.span(Spanned.RUN, "", {}), kept.span(Spanned.CHAT, "m", {}):
        pass

    assert not kept.spans
    assert kept.listener.spans == 0  # so that none is missed


def test_a_plugin_that_seeds_chance_repeats_no_id():
    kept = Kept()
    for _ in range(2):
        random.seed(0)
        with kept.span(Spanned.RUN, "", {}):
            pass

    one, other = kept.spans
    assert identity(one) != identity(other)
    assert one.context is not None
    assert other.context is not None
    assert one.context.trace_id != other.context.trace_id


def test_a_span_that_ends_in_another_task_is_sent_all_the_same():
    kept = Kept()

    async def closed_by_another_task() -> None:
        span = kept.span(Spanned.OWN, "parts", {})
        await asyncio.create_task(begun(span))
        span.__exit__(None, None, None)

    async def begun(span: Any) -> None:
        span.__enter__()

    asyncio.run(closed_by_another_task())

    assert [span.name for span in kept.spans] == ["parts"]


def test_a_score_that_is_missing_is_an_event_that_says_so():
    kept = Kept()
    record = record_factory(sample_factory("q1"), output_factory(answer="x"), scores={"m": 1.0})
    missing = unscored("m", "the judge was out")

    kept.listener.finished(
        run_factory([record.model_copy(update={"scores": {"m": missing}})]), None
    )

    (event,) = kept.events
    assert event.event_name == "gen_ai.evaluation.result"
    assert event.attributes["gen_ai.evaluation.score.label"] == "unscored"
    assert "gen_ai.evaluation.score.value" not in event.attributes
    assert "the judge was out" not in event.attributes.values()


def test_a_score_with_a_pass_mark_says_whether_it_passes():
    kept = Kept()
    values = {"q1": 4.0, "q2": 3.0}
    records = [
        record_factory(sample_factory(key), scores={"m": value, "n": 0.5})
        for key, value in values.items()
    ]
    infos = {"m": MetricInfo(name="m", high=5.0), "n": MetricInfo(name="n")}
    stage = PassGroup(kind="stage", name="grade", metric="m", share=PassShare(mark=4.0, n=2))

    kept.listener.finished(
        run_factory(records, metrics=infos), report_factory(pass_groups=(stage,))
    )

    label, name = "gen_ai.evaluation.score.label", "gen_ai.evaluation.name"
    said = [(each.attributes[name], each.attributes.get(label)) for each in kept.events]
    assert said == [("m", "pass"), ("n", None), ("m", "fail"), ("n", None)]


# Calls and queues are counted as OpenTelemetry's metrics.


class KeptCounts:
    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        meters = MeterProvider([self._reader], shutdown_on_exit=False)
        self.counts = RunCounts(meters.get_meter("ragate"), event="push")

    def metrics(self) -> dict[str, Any]:
        data = self._reader.get_metrics_data()
        assert data is not None
        (of_run,) = data.resource_metrics
        return {each.name: each for scope in of_run.scope_metrics for each in scope.metrics}


def test_a_call_is_counted_once_with_the_tokens_that_the_server_named():
    kept = KeptCounts()

    kept.counts.called(Spanned.CHAT, "m", {"input_tokens": 7}, 0.5)

    metrics = kept.metrics()
    (seconds,) = metrics["gen_ai.client.operation.duration"].data.data_points
    (tokens,) = metrics["gen_ai.client.token.usage"].data.data_points
    about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    assert (seconds.sum, dict(seconds.attributes)) == (0.5, about)
    assert (tokens.sum, dict(tokens.attributes)) == (7, {**about, "gen_ai.token.type": "input"})


def test_of_a_queue_the_last_length_is_told():
    kept = KeptCounts()

    for count in (3, 9, 0):
        kept.counts.waiting("judgements", count)

    (point,) = kept.metrics()["ragate.judge.queue"].data.data_points
    assert (point.value, dict(point.attributes)) == (0, {"ragate.event": "push"})
