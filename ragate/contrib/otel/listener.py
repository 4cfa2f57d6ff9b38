"""What a run tells, as spans and events of OpenTelemetry; its metrics count in `run_counts.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context
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
from ragate.contrib.otel.run_counts import RunCounts
from ragate.core.comparison.run_passes import newest_run
from ragate.core.decision.scorecard import StageScore, read_stages
from ragate.models import (
    OVERALL,
    MetricInfo,
    Record,
    Report,
    Run,
    Score,
    Scorecard,
    ScorecardStage,
    ScoreState,
)
from ragate.spans import Fact, Note, OwnInstrument, Queue, Spanned

Labels = Mapping[str, Callable[[float], str]]
Times = tuple[int, int]
"""Begin and end, in nanoseconds since 1970."""
_MODEL_CALLS = {Spanned.CHAT, Spanned.EMBEDDINGS}
_FLUSH_EVERY = 8192  # events, or spans of stages; their queues hold four times as many


class TelemetryListener:
    """Sends what it hears.

    Attributes:
        spans, events: How many were made that shall be sent.
        failure: What kept `finished` from telling all.

    Args:
        texts: Answers and reasons are sent as well, where the policy publishes them.
        flush: Sends the events and spans that wait.
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
        self._judged: dict[tuple[str, str], Times] = {}
        self.spans = 0
        self.events = 0
        self.failure: Exception | None = None

    @contextmanager
    def span(self, kind: Spanned, name: str, facts: Mapping[str, Fact]) -> Iterator[Note]:
        """Send a span of what runs inside. An exception's name is sent, its message is not."""
        told = dict(facts)
        begun, started = time.time_ns(), time.perf_counter()
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
                span.set_attributes(_attributes(kind, name, told))
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
                if kind is Spanned.JUDGE:
                    self._note_judgement(facts, (begun, time.time_ns()))
                if kind in _MODEL_CALLS:
                    self._counts.called(kind, name, told, time.perf_counter() - started)

    def _note_judgement(self, facts: Mapping[str, Fact], times: Times) -> None:
        for criterion in str(facts["criteria"]).split(", "):
            self._judged[str(facts["sample"]), criterion] = times

    def waiting(self, queue: Queue, count: int) -> None:
        """Send how many of a queue are waited for."""
        self._counts.waiting(queue, count)

    def measured(
        self, instrument: OwnInstrument, value: float, attributes: Mapping[str, Fact]
    ) -> None:
        """Send one value of an instrument that is not ours."""
        self._counts.own.measured(instrument, value, attributes)

    @property
    def refused(self) -> set[str]:
        """Return the names of own instruments with values that could not be sent."""
        return self._counts.own.refused

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
        stages = _Stages(run, report)
        for record in newest_run(run).records:
            states[_state(record)] += 1
            self._scores(record, gate, labels, texts=texts)
            self._stages(record, stages)
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

    def _stages(self, record: Record, stages: _Stages) -> None:
        """Send what the scorecard says of a sample, and below it a span for each stage.

        A stage takes the time of the judgement that its metric is read from; other metrics are
        computed for all samples together, and their stages are moments.
        """
        judged = stages.of(record)
        if not judged:
            return
        now = time.time_ns()
        times = [
            self._judged.get((record.sample_id, each.stage.metric), (now, now)) for each in judged
        ]
        card = self._tracer.start_span(
            names.SCORECARD_SPAN,
            context=self._context(record.sample_id),
            attributes={names.SAMPLE_ID: record.sample_id, **stages.whole(record.sample_id)},
            start_time=min(begun for begun, _ in times),
        )
        below = set_span_in_context(card)
        for each, (begun, ended) in zip(judged, times, strict=True):
            stage = self._tracer.start_span(
                f"{names.STAGE_SPAN} {each.stage.name}",
                context=below,
                attributes=_stage(each),
                start_time=begun,
            )
            stage.end(ended)
        card.end(now)
        before, made = self.spans, (1 + len(judged)) * card.is_recording()
        self.spans += made
        if before // _FLUSH_EVERY != self.spans // _FLUSH_EVERY:
            self._flush()

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
    if name:
        attributes[names.MODEL] = name
    return attributes


class _Stages:
    """The stages of a report's scorecard, for each sample of its run; none without a scorecard."""

    def __init__(self, run: Run, report: Report | None) -> None:
        self._infos = run.manifest.metrics
        groups = report.pass_groups if report is not None else ()
        stages = tuple(
            ScorecardStage(
                name=each.name,
                metric=each.metric,
                weight=each.weight or 0.0,
                pass_at=each.share.mark,
                required=each.required,
            )
            for each in groups
            if each.kind == "stage" and each.metric in self._infos
        )
        self._card = Scorecard(stages=stages) if stages else None
        self._outcomes = {each.sample_id: each for each in report.outcomes} if report else {}

    def of(self, record: Record) -> list[StageScore]:
        """Return the stages that apply to a sample, in order."""
        if self._card is None:
            return []
        stages = read_stages(self._card, self._infos, record.scores)
        return [each for each in stages if each.score.state is not ScoreState.NOT_APPLICABLE]

    def whole(self, sample_id: str) -> dict[str, Fact]:
        """Return whether a sample passes as a whole, and its overall score, as far as known."""
        outcome = self._outcomes.get(sample_id)
        told: dict[str, Fact] = {}
        if outcome is not None and outcome.passes is not None:
            told[names.PASSED] = outcome.passes
        score = outcome.scores.get(OVERALL) if outcome is not None else None
        if score is not None:
            told[names.SCORE] = score
        return told


def _stage(stage: StageScore) -> dict[str, Fact]:
    told: dict[str, Fact] = {
        names.STAGE: stage.stage.name,
        names.METRIC: stage.stage.metric,
        names.STAGE_REQUIRED: stage.stage.required,
        names.STAGE_STOPPED: stage.stopped,
    }
    if stage.passes is not None:
        told[names.PASSED] = stage.passes
    if stage.score.value is not None:
        told[names.SCORE] = stage.score.value
    return told


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
