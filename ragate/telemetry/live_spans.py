"""Spans of one run, made without the SDK's tracer, which takes most of what telemetry costs.

They are what it would make: ids, times, parents, and one decision of the sampler for the trace.
"""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.sampling import Decision, Sampler
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from ragate.support.spans import Fact

_UNSET, _ERROR = Status(StatusCode.UNSET), Status(StatusCode.ERROR)
_current: ContextVar["LiveSpan | None"] = ContextVar("ragate_span", default=None)


@dataclass
class LiveSpan:
    """A span that has not ended."""

    name: str
    kind: SpanKind
    context: SpanContext
    parent: SpanContext | None
    started: int
    attributes: dict[str, Fact] = field(default_factory=dict)
    failed: bool = False


class LiveSpans:
    """Makes spans and hands each on when it ends.

    Args:
        scope: What they are said to come from.
    """

    def __init__(
        self,
        processor: SpanProcessor,
        resource: Resource,
        scope: InstrumentationScope,
        sampler: Sampler,
    ) -> None:
        self._processor = processor
        self._resource = resource
        self._scope = scope
        self._sampler = sampler

    @contextmanager
    def span(self, name: str, kind: SpanKind, attributes: Mapping[str, Fact]) -> Iterator[LiveSpan]:
        """Time what runs inside; its spans stand below this one."""
        above = _current.get()
        parent = None if above is None else above.context
        context = self._root(name) if parent is None else _below(parent)
        # A batch with a name that is no Unicode could not be sent at all.
        readable = name.encode("utf-8", "replace").decode()
        span = LiveSpan(readable, kind, context, parent, time.time_ns(), dict(attributes))
        token = _current.set(span)
        try:
            yield span
        finally:
            _current.reset(token)
            if context.trace_flags.sampled:
                self._processor.on_end(self._ended(span))

    def _root(self, name: str) -> SpanContext:
        trace = random.getrandbits(128) or 1
        sampled = self._sampler.should_sample(None, trace, name).decision is not Decision.DROP
        flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
        return SpanContext(trace, random.getrandbits(64) or 1, is_remote=False, trace_flags=flags)

    def _ended(self, span: LiveSpan) -> ReadableSpan:
        return ReadableSpan(
            span.name,
            span.context,
            span.parent,
            self._resource,
            span.attributes,
            kind=span.kind,
            status=_ERROR if span.failed else _UNSET,
            start_time=span.started,
            end_time=time.time_ns(),
            instrumentation_scope=self._scope,
        )


def current_span() -> LiveSpan | None:
    """Return the span that runs, None outside of any."""
    return _current.get()


def _below(parent: SpanContext) -> SpanContext:
    span_id = random.getrandbits(64) or 1
    return SpanContext(parent.trace_id, span_id, is_remote=False, trace_flags=parent.trace_flags)
