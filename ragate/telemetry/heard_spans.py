"""One span as the run tells it: a title, attributes by the conventions' names, notes on the way."""

import time
from collections.abc import Mapping
from types import TracebackType

from ragate.support.spans import Fact, Note, Spanned
from ragate.telemetry import names
from ragate.telemetry.live_spans import CLIENT, INTERNAL, LiveSpan, LiveSpans, SpanPlace
from ragate.telemetry.run_counts import RunCounts

MODEL_CALLS = frozenset({Spanned.CHAT, Spanned.EMBEDDINGS})


class HeardSpan:
    """One span, from its beginning to its end: no generator, since there are many of them."""

    __slots__ = ("_attributes", "_kind", "_name", "_span", "_spans")
    _span: LiveSpan

    def __init__(
        self, spans: LiveSpans, kind: Spanned, name: str, facts: Mapping[str, Fact]
    ) -> None:
        self._spans = spans
        self._kind = kind
        self._name = name
        self._attributes = _attributes(kind, name, facts)

    def __enter__(self) -> Note:
        side = CLIENT if self._kind in MODEL_CALLS else INTERNAL
        self._span = self._spans.begin(_title(self._kind, self._name), side, self._attributes)
        return self._note

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._span.failed = True
            self._attributes[names.ERROR_TYPE] = kind.__qualname__
        self._spans.end(self._span)

    def _note(self, **more: Fact) -> None:
        self._attributes.update(_attributes(self._kind, "", more))
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

    __slots__ = ("_counts", "_started", "_told")

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
        self._told = dict(facts)
        self._started = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        seconds = time.perf_counter() - self._started
        self._counts.called(self._kind, self._name, self._told, seconds)

    def _note(self, **more: Fact) -> None:
        self._told.update(more)
        super()._note(**more)


def _title(kind: Spanned, name: str) -> str:
    return str(name) if kind is Spanned.OWN else " ".join(filter(None, (names.SPANS[kind], name)))


def _attributes(kind: Spanned, name: str, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    if kind is Spanned.OWN:
        return dict(facts)
    attributes = {names.FACTS[key]: value for key, value in facts.items() if value != ""}
    if kind in {*MODEL_CALLS, Spanned.RETRIEVAL}:
        attributes[names.OPERATION] = str(kind)
    if kind in MODEL_CALLS:
        attributes[names.PROVIDER] = "openai"  # what is spoken, whoever serves it
    if name:
        attributes[names.MODEL] = name
    return attributes
