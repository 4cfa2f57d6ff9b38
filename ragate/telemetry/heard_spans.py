"""One span as the run tells it: a title, attributes by the conventions' names, notes on the way."""

import time
from collections.abc import Mapping
from types import TracebackType

from ragate.support.spans import Fact, Note, Spanned
from ragate.telemetry import names
from ragate.telemetry.live_spans import CLIENT, INTERNAL, LiveSpan, LiveSpans, SpanPlace
from ragate.telemetry.run_counts import RunCounts

# Compared by identity: a member's hash is made in Python, and there are many spans.
_CHAT, _EMBEDDINGS = Spanned.CHAT, Spanned.EMBEDDINGS
_RETRIEVAL, _OWN = Spanned.RETRIEVAL, Spanned.OWN
_TITLES = {str(kind): title for kind, title in names.SPANS.items()}


class HeardSpan:
    """One span, from its beginning to its end: no generator, since there are many of them."""

    __slots__ = ("_facts", "_kind", "_name", "_span", "_spans")
    _span: LiveSpan

    def __init__(
        self, spans: LiveSpans, kind: Spanned, name: str, facts: Mapping[str, Fact]
    ) -> None:
        self._spans = spans
        self._kind = kind
        self._name = name
        self._facts = dict(facts)

    def __enter__(self) -> Note:
        side = CLIENT if is_call(self._kind) else INTERNAL
        self._span = self._spans.begin(_title(self._kind, self._name), side, {})
        return self._note

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        span = self._span
        if kind is not None:
            span.failed = True
            span.attributes[names.ERROR_TYPE] = kind.__qualname__
        # What was set while it ran is newer.
        span.attributes = _attributes(self._kind, self._name, self._facts) | span.attributes
        self._spans.end(span)

    def _note(self, **more: Fact) -> None:
        self._facts.update(more)
        if more.get("failed"):
            self._span.failed = True


class HeardSample(HeardSpan):
    """A span that is remembered for the sample's events."""

    __slots__ = ("_places", "_sample")

    def __init__(
        self,
        spans: LiveSpans,
        kind: Spanned,
        name: str,
        facts: Mapping[str, Fact],
        places: dict[str, SpanPlace],
    ) -> None:
        super().__init__(spans, kind, name, facts)
        self._sample = str(facts["sample"])
        self._places = places

    def __enter__(self) -> Note:
        note = super().__enter__()
        self._places[self._sample] = self._span.place
        return note


class HeardCall(HeardSpan):
    """A span that is counted as a call of a model as well."""

    __slots__ = ("_counts", "_started")

    def __init__(
        self,
        spans: LiveSpans,
        kind: Spanned,
        name: str,
        facts: Mapping[str, Fact],
        counts: RunCounts,
    ) -> None:
        super().__init__(spans, kind, name, facts)
        self._counts = counts
        self._started = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        seconds = time.perf_counter() - self._started
        self._counts.called(self._kind, self._name, self._facts, seconds)


def is_call(kind: Spanned) -> bool:
    """Return whether a model is called."""
    return kind is _CHAT or kind is _EMBEDDINGS


def _title(kind: Spanned, name: str) -> str:
    if kind is _OWN:
        return str(name)
    title = _TITLES[str(kind)]
    return f"{title} {name}" if name else title


def _attributes(kind: Spanned, name: str, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    if kind is _OWN:
        return dict(facts)
    attributes = {names.FACTS[key]: value for key, value in facts.items() if value != ""}
    if is_call(kind) or kind is _RETRIEVAL:
        attributes[names.OPERATION] = str(kind)
    if is_call(kind):
        attributes[names.PROVIDER] = "openai"  # what is spoken, whoever serves it
    if name:
        attributes[names.MODEL] = name
    return attributes
