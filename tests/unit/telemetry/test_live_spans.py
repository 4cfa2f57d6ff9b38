"""Spans have times, parents and one trace, and are sent as the SDK would send them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragate.telemetry.live_spans import (
    CLIENT,
    INTERNAL,
    LiveSpan,
    LiveSpans,
    SpanMessages,
    current_span,
)
from ragate.telemetry.messages import spans_envelope
from tests.unit.telemetry.sdk import spans_request

RESOURCE = {"service.name": "ragate", "cicd.pipeline.name": "gate"}
MESSAGES = SpanMessages(spans_envelope(RESOURCE))
INT64 = st.integers(-(2**63), 2**63 - 1)
VALUES = st.one_of(
    st.text(max_size=300), INT64, st.floats(allow_nan=False), st.booleans(), st.binary(max_size=9)
)
ATTRIBUTES = st.dictionaries(
    st.text(max_size=9),
    st.one_of(VALUES, st.lists(VALUES, max_size=3), st.dictionaries(st.text(), VALUES, max_size=3)),
    max_size=6,
)


class Kept:
    """Spans made, and as a collector decodes them."""

    def __init__(self, *, sampled: bool = True) -> None:
        self.items: list[LiveSpan] = []
        self.spans = LiveSpans(self.items.append, lambda _trace: sampled)

    @contextmanager
    def span(self, name: str, kind: Any, attributes: dict[str, Any]) -> Iterator[LiveSpan]:
        span = self.spans.begin(name, kind, attributes)
        try:
            yield span
        finally:
            self.spans.end(span)

    def request(self) -> Any:
        return ExportTraceServiceRequest.FromString(MESSAGES.request(self.items))

    def decoded(self) -> dict[str, Any]:
        request = self.request()
        return {
            span.name: span
            for part in request.resource_spans
            for scope in part.scope_spans
            for span in scope.spans
        }


def test_what_runs_inside_stands_below():
    kept = Kept()

    with kept.span("run", INTERNAL, {"a": 1}) as run:
        with kept.span("call", CLIENT, {}) as call:
            call.failed = True
        run.attributes["b"] = 2

    spans = kept.decoded()
    above, below = spans["run"], spans["call"]
    assert below.parent_span_id == above.span_id
    assert above.parent_span_id == b""
    assert below.trace_id == above.trace_id
    assert below.span_id != above.span_id
    assert (
        above.start_time_unix_nano
        <= below.start_time_unix_nano
        <= below.end_time_unix_nano
        <= above.end_time_unix_nano
    )
    assert {each.key: each.value.int_value for each in above.attributes} == {"a": 1, "b": 2}
    assert (above.status.code, below.status.code) == (0, 2)
    assert below.kind == CLIENT
    assert current_span() is None


@given(
    st.text(st.characters(codec="utf-8"), max_size=300), ATTRIBUTES, st.booleans(), st.booleans()
)
def test_a_span_is_what_the_sdk_sends(name, attributes, failed, is_call):
    kept = Kept()
    made: list[LiveSpan] = []
    for kind in (INTERNAL, CLIENT if is_call else INTERNAL):
        with kept.span("above", INTERNAL, {}), kept.span(name, kind, attributes) as one:
            one.failed = failed
            made.append(one)

    request = kept.request()
    spans = request.resource_spans[0].scope_spans[0].spans
    for above in (3, 1):
        del spans[above]

    ends = [span.end_time_unix_nano for span in spans]
    assert request == spans_request(RESOURCE, list(zip(made, ends, strict=True)))


def test_equal_values_of_other_kinds_are_kept_apart():
    kept = Kept()
    values: list[Any] = [0, False, 0.0, -0.0, 1, True, 1.0, "1", b"1", None]

    with kept.span("run", INTERNAL, {}) as run:
        run.attributes.update({str(each): value for each, value in enumerate(values)})
    with kept.span("again", INTERNAL, {"0": False, "4": True}) as again:
        pass

    request = kept.request()
    spans = request.resource_spans[0].scope_spans[0].spans
    ends = [span.end_time_unix_nano for span in spans]
    assert request == spans_request(RESOURCE, [(run, ends[0]), (again, ends[1])])
    assert str(spans[0].attributes[3].value.double_value) == "-0.0"


def test_tasks_at_once_stand_beside_each_other():
    kept = Kept()

    async def one(name: str) -> None:
        with kept.span(name, INTERNAL, {}):
            await asyncio.sleep(0)
            with kept.span(f"{name} below", INTERNAL, {}):
                await asyncio.sleep(0)

    async def both() -> None:
        with kept.span("run", INTERNAL, {}):
            await asyncio.gather(one("a"), one("b"))

    asyncio.run(both())

    spans = kept.decoded()
    for name in "ab":
        assert spans[name].parent_span_id == spans["run"].span_id
        assert spans[f"{name} below"].parent_span_id == spans[name].span_id


def test_a_span_ends_where_what_it_times_fails():
    kept = Kept()

    with pytest.raises(ValueError), kept.span("run", INTERNAL, {}):
        raise ValueError

    assert "run" in kept.decoded()
    assert current_span() is None


def test_a_span_that_ends_elsewhere_than_it_began_is_sent_all_the_same():
    kept = Kept()

    async def closed_by_another_task() -> None:
        span = await asyncio.create_task(begun())
        kept.spans.end(span)

    async def begun() -> LiveSpan:
        return kept.spans.begin("parts", INTERNAL, {})

    asyncio.run(closed_by_another_task())

    assert "parts" in kept.decoded()


def test_the_sampler_decides_for_a_whole_trace():
    kept = Kept(sampled=False)

    with kept.span("run", INTERNAL, {}), kept.span("call", INTERNAL, {}):
        pass

    assert not kept.items


def test_a_plugin_that_seeds_chance_repeats_no_id(monkeypatch):
    import random

    kept = Kept()
    for _ in range(2):
        random.seed(0)
        with kept.span("run", INTERNAL, {}):
            pass

    spans = kept.request().resource_spans[0].scope_spans[0].spans
    assert spans[0].trace_id != spans[1].trace_id
    assert spans[0].span_id != spans[1].span_id
