"""Spans of one run, each encoded once, when it is sent: many in a row take half the time.

They are what OpenTelemetry's SDK would make: ids, times, parents, and one decision for the trace.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar, Token
from random import Random
from typing import NamedTuple

from opentelemetry.proto.trace.v1.trace_pb2 import Span, SpanFlags, Status

from ragate.support.spans import Fact
from ragate.telemetry.messages import AttributeParts, Envelope
from ragate.telemetry.sampling import Sampler

INTERNAL, CLIENT = Span.SPAN_KIND_INTERNAL, Span.SPAN_KIND_CLIENT
_UNSET = Span(status=Status(code=Status.STATUS_CODE_UNSET)).SerializeToString()
_ERROR = Span(status=Status(code=Status.STATUS_CODE_ERROR)).SerializeToString()
_LOCAL = SpanFlags.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK
_current: ContextVar["LiveSpan | None"] = ContextVar("ragate_span", default=None)


class SpanPlace(NamedTuple):
    """Where in which trace something belongs.

    Attributes:
        trace: The trace's id, 16 bytes.
        span: The span's id, 8 bytes.
        sampled: The trace is sent.
    """

    trace: bytes
    span: bytes
    sampled: bool


class LiveSpan:
    """A span that has not ended."""

    __slots__ = (
        "attributes",
        "ended",
        "failed",
        "kind",
        "name",
        "parent",
        "place",
        "started",
        "token",
    )

    def __init__(
        self,
        name: str,
        kind: Span.SpanKind.ValueType,
        attributes: dict[str, Fact],
        place: SpanPlace,
        parent: SpanPlace | None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.attributes = attributes
        self.place = place
        self.parent = parent
        self.failed = False
        self.started = time.time_ns()
        self.ended = 0
        self.token: Token[LiveSpan | None] | None = None


class LiveSpans:
    """Makes spans and hands each on when it ends.

    Args:
        put: Takes a span that has ended.
        sampler: Is asked once a trace.
    """

    def __init__(self, put: Callable[[LiveSpan], object], sampler: Sampler) -> None:
        self._put = put
        self._sampler = sampler
        self._random = Random()  # noqa: S311 - a plugin that seeds the common one repeats no id

    def begin(
        self, name: str, kind: Span.SpanKind.ValueType, attributes: dict[str, Fact]
    ) -> LiveSpan:
        """Begin a span; what begins before its `end` stands below it."""
        above = _current.get()
        parent = None if above is None else above.place
        span = LiveSpan(name, kind, attributes, self._placed(parent), parent)
        span.token = _current.set(span)
        return span

    def end(self, span: LiveSpan) -> None:
        """End a span and hand it on."""
        if span.token is not None:
            with suppress(ValueError):  # a plugin's generator may be closed from elsewhere
                _current.reset(span.token)
        if span.place.sampled:
            span.ended = time.time_ns()
            self._put(span)

    def _placed(self, parent: SpanPlace | None) -> SpanPlace:
        span = (self._random.getrandbits(64) or 1).to_bytes(8)
        if parent is not None:
            return SpanPlace(parent.trace, span, parent.sampled)
        trace = self._random.getrandbits(128) or 1
        return SpanPlace(trace.to_bytes(16), span, self._sampler(trace))


class SpanMessages:
    """Makes requests of spans that have ended."""

    def __init__(self, envelope: Envelope) -> None:
        self._envelope = envelope
        self._parts = AttributeParts(Span)
        self._titles: dict[tuple[str, int], bytes] = {}

    def request(self, spans: Sequence[LiveSpan]) -> bytes:
        """Return the request that holds these spans."""
        return self._envelope.request([self._envelope.item(self._encoded(one)) for one in spans])

    def _encoded(self, span: LiveSpan) -> tuple[bytes, ...]:
        """Return the parts of a span."""
        title = self._titles.get((span.name, span.kind))
        own: bytes = Span(
            trace_id=span.place.trace,
            span_id=span.place.span,
            parent_span_id=b"" if span.parent is None else span.parent.span,
            start_time_unix_nano=span.started,
            end_time_unix_nano=span.ended,
            flags=_LOCAL,
        ).SerializeToString()
        return (
            self._titled(span) if title is None else title,
            self._parts.of(span.attributes),
            _ERROR if span.failed else _UNSET,
            own,
        )

    def _titled(self, span: LiveSpan) -> bytes:
        # A batch with a name that is no Unicode could not be read at all.
        readable = span.name.encode("utf-8", "replace").decode()
        title: bytes = Span(name=readable, kind=span.kind).SerializeToString()
        if len(self._titles) < 1000:  # a plugin may name each span otherwise
            self._titles[span.name, span.kind] = title
        return title


def current_span() -> LiveSpan | None:
    """Return the span that runs, None outside of any."""
    return _current.get()
