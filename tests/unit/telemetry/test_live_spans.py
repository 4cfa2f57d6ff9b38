"""Spans have times, parents and one trace, as the SDK's have."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanKind, StatusCode

from ragate.telemetry.live_spans import LiveSpans, current_span


class Kept(SpanProcessor):
    def __init__(self) -> None:
        self.spans: dict[str, Any] = {}

    def on_end(self, span: ReadableSpan) -> None:
        self.spans[span.name] = span


def spans_of(kept: Kept, sampler: Any = ALWAYS_ON) -> LiveSpans:
    return LiveSpans(kept, Resource({}), InstrumentationScope("ragate"), sampler)


def test_what_runs_inside_stands_below():
    kept = Kept()
    spans = spans_of(kept)

    with spans.span("run", SpanKind.INTERNAL, {"a": 1}) as run:
        with spans.span("call", SpanKind.CLIENT, {}) as call:
            call.failed = True
        run.attributes["b"] = 2

    above, below = kept.spans["run"], kept.spans["call"]
    assert below.parent == above.context
    assert above.parent is None
    assert below.context.trace_id == above.context.trace_id
    assert below.context.span_id != above.context.span_id
    assert above.start_time <= below.start_time <= below.end_time <= above.end_time
    assert dict(above.attributes) == {"a": 1, "b": 2}
    assert (above.status.status_code, below.status.status_code) == (
        StatusCode.UNSET,
        StatusCode.ERROR,
    )
    assert below.kind is SpanKind.CLIENT
    assert current_span() is None


def test_tasks_at_once_stand_beside_each_other():
    kept = Kept()
    spans = spans_of(kept)

    async def one(name: str) -> None:
        with spans.span(name, SpanKind.INTERNAL, {}):
            await asyncio.sleep(0)
            with spans.span(f"{name} below", SpanKind.INTERNAL, {}):
                await asyncio.sleep(0)

    async def both() -> None:
        with spans.span("run", SpanKind.INTERNAL, {}):
            await asyncio.gather(one("a"), one("b"))

    asyncio.run(both())

    for name in "ab":
        assert kept.spans[name].parent == kept.spans["run"].context
        assert kept.spans[f"{name} below"].parent == kept.spans[name].context


def test_a_span_ends_where_what_it_times_fails():
    kept = Kept()

    with pytest.raises(ValueError), spans_of(kept).span("run", SpanKind.INTERNAL, {}):
        raise ValueError

    assert "run" in kept.spans
    assert current_span() is None


def test_the_sampler_decides_for_a_whole_trace():
    kept = Kept()
    spans = spans_of(kept, ALWAYS_OFF)

    with spans.span("run", SpanKind.INTERNAL, {}), spans.span("call", SpanKind.CLIENT, {}):
        pass

    assert not kept.spans
