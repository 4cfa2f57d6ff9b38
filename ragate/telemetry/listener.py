"""What a run tells, as spans, events and metrics of OpenTelemetry."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, set_span_in_context

from ragate.core.comparison.own_passes import newest_run
from ragate.models import Record, Report, Run, Score, ScoreState
from ragate.support.spans import Fact, Note, Spanned
from ragate.telemetry import names
from ragate.telemetry.live_spans import LiveSpans, current_span
from ragate.telemetry.run_counts import RunCounts

_MODEL_CALLS = {Spanned.CHAT, Spanned.EMBEDDINGS}
Emit = Callable[[str, Mapping[str, Fact], Context | None], None]
_FLUSH_EVERY = 16_384  # events; their queue holds four times as many


class TelemetryListener:
    """Sends what it hears.

    Args:
        emit: Sends an event: its name, its attributes, and where it belongs.
        texts: Answers and reasons are sent as well, where the policy publishes them.
        flush: Sends the events that wait.
    """

    def __init__(
        self,
        spans: LiveSpans,
        emit: Emit,
        counts: RunCounts,
        *,
        texts: bool,
        flush: Callable[[], object],
    ) -> None:
        self._spans = spans
        self._emit_event = emit
        self._counts = counts
        self._texts = texts
        self._flush = flush
        self._samples: dict[str, SpanContext] = {}
        self._events = 0

    @contextmanager
    def span(self, kind: Spanned, name: str, facts: Mapping[str, Fact]) -> Iterator[Note]:
        """Send a span of what runs inside. An exception's name is sent, its message is not."""
        is_call = kind in _MODEL_CALLS
        told = dict(facts)
        started = time.perf_counter()
        side = SpanKind.CLIENT if is_call else SpanKind.INTERNAL
        with self._spans.span(_title(kind, name), side, _attributes(kind, name, facts)) as span:
            if kind is Spanned.SAMPLE:
                self._samples[str(facts["sample"])] = span.context

            def note(**more: Fact) -> None:
                told.update(more)
                span.attributes.update(_attributes(kind, "", more))
                span.failed = span.failed or bool(more.get("failed"))

            try:
                yield note
            except BaseException as error:
                span.failed = True
                span.attributes[names.ERROR_TYPE] = type(error).__qualname__
                raise
            finally:
                if is_call:
                    self._counts.called(kind, name, told, time.perf_counter() - started)

    def judging(self, waiting: int) -> None:
        """Send how many judgements are waited for."""
        self._counts.judging(waiting)

    def finished(self, run: Run, report: Report | None) -> None:
        """Send every score as an event, and what the report counts as metrics."""
        span = current_span()
        of_run: dict[str, Fact] = {names.RUN_ID: run.manifest.run_id, names.GATE: run.manifest.gate}
        if report is not None:
            of_run |= {names.GATE: report.gate, names.VERDICT: str(report.decision.verdict)}
        if report is not None:
            of_run[names.EXIT_CODE] = report.decision.exit_code
        if span is not None:
            span.attributes.update(of_run)
        gate: dict[str, Fact] = {names.GATE: of_run[names.GATE]}
        texts = self._texts and report is not None and report.publish == "full"
        questions = {row.sample_id: row.query for row in report.samples} if report else {}
        states = {"measured": 0, "failed": 0, "unscored": 0}
        for record in newest_run(run).records:
            states[_state(record)] += 1
            self._scores(record, gate, texts=texts)
            if texts:
                self._answer(record, questions.get(record.sample_id, ""), gate)
        self._counts.measured(str(gate[names.GATE]), states)
        if report is not None:
            self._counts.decided(report)

    def _scores(self, record: Record, gate: Mapping[str, Fact], *, texts: bool) -> None:
        context = self._context(record.sample_id)
        for name, score in record.scores.items():
            if score.state is ScoreState.NOT_APPLICABLE:
                continue
            attributes = {**gate, **_of(record), names.EVALUATION_NAME: name, **_score(score)}
            if texts and score.reason:
                attributes[names.EVALUATION_EXPLANATION] = score.reason
            self._emit(names.EVALUATION, attributes, context)

    def _answer(self, record: Record, question: str, gate: Mapping[str, Fact]) -> None:
        attributes = {**gate, **_of(record), names.ANSWER: record.output.answer or ""}
        if question:
            attributes[names.QUESTION] = question
        self._emit(names.SAMPLE_TEXTS, attributes, self._context(record.sample_id))

    def _emit(self, event: str, attributes: Mapping[str, Fact], context: Context | None) -> None:
        self._emit_event(event, attributes, context)
        self._events += 1
        if self._events % _FLUSH_EVERY == 0:
            self._flush()

    def _context(self, sample: str) -> Context | None:
        """Return where an event about a sample belongs: its span, else the run's."""
        span = current_span()
        known = self._samples.get(sample, None if span is None else span.context)
        return None if known is None else set_span_in_context(NonRecordingSpan(known))


def _title(kind: Spanned, name: str) -> str:
    return name if kind is Spanned.OWN else " ".join(filter(None, (names.SPANS[kind], name)))


def _attributes(kind: Spanned, name: str, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    if kind is Spanned.OWN:
        return dict(facts)
    attributes = {names.FACTS[key]: value for key, value in facts.items() if value != ""}
    if kind in {*_MODEL_CALLS, Spanned.RETRIEVAL}:
        attributes[names.OPERATION] = str(kind)
    if kind in _MODEL_CALLS:
        attributes[names.PROVIDER] = "openai"  # what is spoken, whoever serves it
    if name:
        attributes[names.MODEL] = name
    return attributes


def _state(record: Record) -> str:
    if record.output.error is not None and record.output.error.kind == "system":
        return "failed"
    missing = any(score.state is ScoreState.UNSCORED for score in record.scores.values())
    return "unscored" if missing or record.output.error is not None else "measured"


def _of(record: Record) -> dict[str, Fact]:
    return {names.SAMPLE_ID: record.sample_id, names.PASS: record.run}


def _score(score: Score) -> dict[str, Fact]:
    if score.value is None:
        return {names.EVALUATION_LABEL: "unscored", names.ERROR_TYPE: "unscored"}
    return {names.EVALUATION_VALUE: score.value}
