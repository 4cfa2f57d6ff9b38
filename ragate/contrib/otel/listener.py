"""What a run tells, as spans, events and metrics of OpenTelemetry."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.metrics import Meter
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
)

from ragate.contrib.otel import names
from ragate.contrib.otel.names import INSTRUMENTS, Instrument
from ragate.core.comparison.run_passes import newest_run
from ragate.models import MetricInfo, Record, Report, Run, Score, ScoreState
from ragate.spans import Fact, Note, Spanned

Labels = Mapping[str, Callable[[float], str]]
_MODEL_CALLS = {Spanned.CHAT, Spanned.EMBEDDINGS}
_FLUSH_EVERY = 8192  # events; their queue holds four times as many


class TelemetryListener:
    """Sends what it hears.

    Attributes:
        spans, events: How many were made that shall be sent.
        failure: What kept `finished` from telling all.

    Args:
        texts: Answers and reasons are sent as well, where the policy publishes them.
        flush: Sends the events that wait.
    """

    def __init__(
        self,
        tracer: Tracer,
        logger: Logger,
        counts: RunCounts,
        *,
        texts: bool,
        flush: Callable[[], object],
    ) -> None:
        self._tracer = tracer
        self._logger = logger
        self._counts = counts
        self._texts = texts
        self._flush = flush
        self._samples: dict[str, SpanContext] = {}
        self.spans = 0
        self.events = 0
        self.failure: Exception | None = None

    @contextmanager
    def span(self, kind: Spanned, name: str, facts: Mapping[str, Fact]) -> Iterator[Note]:
        """Send a span of what runs inside. An exception's name is sent, its message is not."""
        told = dict(facts)
        started = time.perf_counter()
        with self._tracer.start_as_current_span(
            _title(kind, name),
            kind=SpanKind.CLIENT if kind in _MODEL_CALLS else SpanKind.INTERNAL,
            attributes=_attributes(kind, name, facts),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            if kind is Spanned.SAMPLE:
                self._samples[str(facts["sample"])] = span.get_span_context()

            def note(**more: Fact) -> None:
                told.update(more)
                span.set_attributes(_attributes(kind, name, more))
                if more.get("failed"):
                    span.set_status(StatusCode.ERROR)

            try:
                yield note
            except BaseException as error:
                span.set_status(StatusCode.ERROR)
                span.set_attribute(names.ERROR_TYPE, type(error).__qualname__)
                raise
            finally:
                self.spans += span.is_recording()
                if kind in _MODEL_CALLS:
                    self._counts.called(kind, name, told, time.perf_counter() - started)

    def judging(self, waiting: int) -> None:
        """Send how many judgements are waited for."""
        self._counts.judging(waiting)

    def finished(self, run: Run, report: Report | None) -> None:
        """Send every score as an event, and what the report counts as metrics."""
        try:
            self._tell(run, report)
        except Exception as error:  # noqa: BLE001 - telemetry changes no verdict
            self.failure = error

    def _tell(self, run: Run, report: Report | None) -> None:
        gate = report.gate if report is not None else run.manifest.gate
        about: dict[str, Fact] = {names.RUN_ID: run.manifest.run_id, names.GATE: gate}
        if report is not None:
            about[names.VERDICT] = str(report.decision.verdict)
            about[names.EXIT_CODE] = report.decision.exit_code
        get_current_span().set_attributes(about)
        texts = self._texts and report is not None and report.publish == "full"
        questions = {row.sample_id: row.query for row in report.samples} if report else {}
        states = {"measured": 0, "failed": 0, "unscored": 0}
        labels = _labels(run, report)
        for record in newest_run(run).records:
            states[_state(record)] += 1
            self._scores(record, gate, labels, texts=texts)
            if texts:
                self._answer(record, gate, question=questions.get(record.sample_id, ""))
        self._counts.measured(gate, states)
        if report is not None:
            self._counts.decided(report)

    def _scores(self, record: Record, gate: str, labels: Labels, *, texts: bool) -> None:
        for name, score in record.scores.items():
            if score.state is ScoreState.NOT_APPLICABLE:
                continue
            attributes = _score(name, score)
            if score.value is not None and name in labels:
                attributes[names.EVALUATION_LABEL] = labels[name](score.value)
            if texts and score.reason:
                attributes[names.EVALUATION_EXPLANATION] = score.reason
            self._emit(names.EVALUATION, record, gate, attributes)

    def _answer(self, record: Record, gate: str, *, question: str) -> None:
        attributes: dict[str, Fact] = {names.ANSWER: record.output.answer or ""}
        if question:
            attributes[names.QUESTION] = question
        self._emit(names.SAMPLE_TEXTS, record, gate, attributes)

    def _emit(self, event: str, record: Record, gate: str, attributes: dict[str, Fact]) -> None:
        sample = record.sample_id
        about: dict[str, Fact] = {names.SAMPLE_ID: sample, names.PASS: record.run, names.GATE: gate}
        now = time.time_ns()
        self._logger.emit(
            timestamp=now,
            observed_timestamp=now,
            context=self._context(sample),
            severity_number=SeverityNumber.INFO,
            attributes=about | attributes,
            event_name=event,
        )
        self.events += 1
        if self.events % _FLUSH_EVERY == 0:
            self._flush()

    def _context(self, sample: str) -> Context | None:
        """Return where an event about a sample belongs: its span, else the one that runs."""
        known = self._samples.get(sample)
        return None if known is None else set_span_in_context(NonRecordingSpan(known))


def _title(kind: Spanned, name: str) -> str:
    if kind is Spanned.OWN:  # a batch with a name that is no Unicode cannot be encoded
        return str(name).encode("utf-8", "replace").decode()
    return f"{names.SPANS[kind]} {name}" if name else names.SPANS[kind]


def _attributes(kind: Spanned, name: str, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    if kind is Spanned.OWN:
        return dict(facts)
    attributes = {names.FACTS[key]: value for key, value in facts.items() if value != ""}
    if kind in _MODEL_CALLS or kind is Spanned.RETRIEVAL:
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


def _labels(run: Run, report: Report | None) -> Labels:
    """Return, for each metric with a pass mark, what a value is called: pass or fail."""
    if report is None:
        return {}
    marks = {group.metric: group.share.mark for group in report.pass_groups if group.metric}
    rows = report.decision.metrics
    marks |= {row.metric: row.pass_share.mark for row in rows if row.pass_share is not None}
    infos = run.manifest.metrics
    return {
        name: partial(_label, infos[name], mark) for name, mark in marks.items() if name in infos
    }


def _label(info: MetricInfo, mark: float, value: float) -> str:
    return "pass" if info.reaches(mark, value) else "fail"


def _score(metric: str, score: Score) -> dict[str, Fact]:
    if score.value is None:
        unscored = {names.EVALUATION_LABEL: "unscored", names.ERROR_TYPE: "unscored"}
        return {names.EVALUATION_NAME: metric, **unscored}
    return {names.EVALUATION_NAME: metric, names.EVALUATION_VALUE: score.value}


# What a run counts, as metrics of OpenTelemetry.


class RunCounts:
    """The metrics of `names.INSTRUMENTS`.

    Args:
        event: What set the run off, as the runner calls it.
    """

    def __init__(self, meter: Meter, *, event: str) -> None:
        self._event: dict[str, Fact] = {names.EVENT: event}
        self._recorders = {each.name: _recorder(meter, each) for each in INSTRUMENTS}

    def judging(self, waiting: int) -> None:
        """Tell how many judgements are waited for."""
        self._record(names.JUDGING, waiting, self._event)

    def called(self, kind: Spanned, model: str, told: Mapping[str, Fact], seconds: float) -> None:
        """Count one call of a model, with its tokens where the server named them."""
        about: dict[str, Fact] = {names.OPERATION: str(kind), names.MODEL: model}
        self._record(names.CALL_DURATION, seconds, about)
        for token in ("input", "output"):
            if (count := told.get(f"{token}_tokens")) is not None:
                self._record(names.TOKENS, float(count), {**about, names.TOKEN_TYPE: token})

    def measured(self, gate: str, states: Mapping[str, int]) -> None:
        """Count the samples by state."""
        for state, count in states.items():
            self._record(names.SAMPLES, count, {**self._of(gate), names.STATE: state})

    def decided(self, report: Report) -> None:
        """Count what the report tells."""
        facts, decision, gate = report.facts, report.decision, self._of(report.gate)
        self._record(names.VERDICTS, 1, {**gate, names.VERDICT: str(decision.verdict)})
        changes = Counter({"same": report.unchanged}) + Counter(
            row.change for row in report.samples
        )
        for change, count in changes.items():
            self._record(names.CHANGES, count, {**gate, names.STATE: change})
        for reused, count in ((False, facts.model_calls), (True, facts.calls_reused)):
            self._record(names.CALLS, count, {**gate, names.REUSED: reused})
        self._record(names.COST, facts.cost_usd or 0.0, gate)
        if facts.duration_s is not None:
            self._record(names.DURATION, facts.duration_s, gate)
        for group in report.pass_groups:
            if group.kind == "stage" and group.share.candidate is not None:
                passed = round(group.share.candidate * group.share.n)
                for state, count in (("passed", passed), ("failed", group.share.n - passed)):
                    about = {names.STAGE: group.name, names.STATE: state}
                    self._record(names.STAGES, count, {**gate, **about})
        for metric in decision.metrics:
            for side, mean in (("baseline", metric.baseline), ("candidate", metric.candidate)):
                if mean is not None:
                    about = {names.METRIC: metric.metric, names.SIDE: side}
                    self._record(names.SCORES, mean, {**gate, **about})

    def _of(self, gate: str) -> dict[str, Fact]:
        return {**self._event, names.GATE: gate}

    def _record(self, what: Instrument, value: float, attributes: Mapping[str, Fact]) -> None:
        self._recorders[what.name](value, attributes)


def _recorder(meter: Meter, what: Instrument) -> Callable[[float, Mapping[str, Fact]], None]:
    described = (what.name, what.unit, what.says)
    if what.kind == "counter":
        return meter.create_counter(*described).add
    if what.kind == "gauge":
        return meter.create_gauge(*described).set
    return meter.create_histogram(*described).record
