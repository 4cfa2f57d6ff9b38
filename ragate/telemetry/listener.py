"""What a run tells, as spans, events and metrics of OpenTelemetry."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from ragate.core.comparison.own_passes import newest_run
from ragate.models import Record, Report, Run, Score, ScoreState
from ragate.support.spans import Fact, Note, Spanned
from ragate.telemetry import names
from ragate.telemetry.heard_spans import HeardCall, HeardSample, HeardSpan, is_call
from ragate.telemetry.live_spans import LiveSpans, SpanPlace, current_span
from ragate.telemetry.run_counts import RunCounts
from ragate.telemetry.sent_events import SentEvents

_FLUSH_EVERY = 16_384  # events; their queue holds four times as many


class TelemetryListener:
    """Sends what it hears.

    Args:
        texts: Answers and reasons are sent as well, where the policy publishes them.
        flush: Sends the events that wait.
        failed: Hears what kept `finished` from telling all.
    """

    def __init__(
        self,
        spans: LiveSpans,
        events: SentEvents,
        counts: RunCounts,
        *,
        texts: bool,
        flush: Callable[[], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self._spans = spans
        self._events = events
        self._counts = counts
        self._texts = texts
        self._flush = flush
        self._failed = failed
        self._samples: dict[str, SpanPlace] = {}
        self._emitted = 0

    def span(
        self, kind: Spanned, name: str, facts: Mapping[str, Fact]
    ) -> AbstractContextManager[Note]:
        """Send a span of what runs inside. An exception's name is sent, its message is not."""
        if is_call(kind):
            return HeardCall(self._spans, kind, name, facts, self._counts)
        if kind is Spanned.SAMPLE:
            return HeardSample(self._spans, kind, name, facts, self._samples)
        return HeardSpan(self._spans, kind, name, facts)

    def judging(self, waiting: int) -> None:
        """Send how many judgements are waited for."""
        self._counts.judging(waiting)

    def finished(self, run: Run, report: Report | None) -> None:
        """Send every score as an event, and what the report counts as metrics."""
        try:
            self._tell(run, report)
        except Exception as error:  # noqa: BLE001 - telemetry changes no verdict
            self._failed(error)

    def _tell(self, run: Run, report: Report | None) -> None:
        gate = report.gate if report is not None else run.manifest.gate
        self._tell_span(run, report)
        about: dict[str, Fact] = {names.GATE: gate}
        texts = self._texts and report is not None and report.publish == "full"
        questions = {row.sample_id: row.query for row in report.samples} if report else {}
        states = {"measured": 0, "failed": 0, "unscored": 0}
        for record in newest_run(run).records:
            states[_state(record)] += 1
            common = self._events.about(self._place(record.sample_id), {**about, **_of(record)})
            self._scores(record, common, texts=texts)
            if texts:
                self._answer(record, questions.get(record.sample_id, ""), common)
        self._counts.measured(gate, states)
        if report is not None:
            self._counts.decided(report)

    def _tell_span(self, run: Run, report: Report | None) -> None:
        span = current_span()
        if span is None:
            return
        span.attributes |= {names.RUN_ID: run.manifest.run_id, names.GATE: run.manifest.gate}
        if report is not None:
            span.attributes |= {
                names.GATE: report.gate,
                names.VERDICT: str(report.decision.verdict),
                names.EXIT_CODE: report.decision.exit_code,
            }

    def _scores(self, record: Record, common: bytes, *, texts: bool) -> None:
        for name, score in record.scores.items():
            if score.state is ScoreState.NOT_APPLICABLE:
                continue
            attributes = _score(name, score)
            if texts and score.reason:
                attributes[names.EVALUATION_EXPLANATION] = score.reason
            self._emit(names.EVALUATION, common, attributes)

    def _answer(self, record: Record, question: str, common: bytes) -> None:
        attributes: dict[str, Fact] = {names.ANSWER: record.output.answer or ""}
        if question:
            attributes[names.QUESTION] = question
        self._emit(names.SAMPLE_TEXTS, common, attributes)

    def _emit(self, event: str, common: bytes, attributes: Mapping[str, Fact]) -> None:
        self._events.emit(event, common, attributes)
        self._emitted += 1
        if self._emitted % _FLUSH_EVERY == 0:
            self._flush()

    def _place(self, sample: str) -> SpanPlace | None:
        """Return where an event about a sample belongs: its span, else the run's."""
        span = current_span()
        return self._samples.get(sample, None if span is None else span.place)


def _state(record: Record) -> str:
    if record.output.error is not None and record.output.error.kind == "system":
        return "failed"
    missing = any(score.state is ScoreState.UNSCORED for score in record.scores.values())
    return "unscored" if missing or record.output.error is not None else "measured"


def _of(record: Record) -> dict[str, Fact]:
    return {names.SAMPLE_ID: record.sample_id, names.PASS: record.run}


def _score(metric: str, score: Score) -> dict[str, Fact]:
    if score.value is None:
        unscored = {names.EVALUATION_LABEL: "unscored", names.ERROR_TYPE: "unscored"}
        return {names.EVALUATION_NAME: metric, **unscored}
    return {names.EVALUATION_NAME: metric, names.EVALUATION_VALUE: score.value}
