"""What a run counts, as metrics of OpenTelemetry."""

from collections import Counter, deque
from collections.abc import Callable, Mapping

from ragate.models import Report
from ragate.support.spans import Fact, Spanned
from ragate.telemetry import names
from ragate.telemetry.names import Instrument

_CALLS = 65_536  # that wait to be counted: more only where the sending thread is stuck
Record = Callable[[Instrument, float, Mapping[str, Fact]], object]


class RunCounts:
    """The metrics of `names.INSTRUMENTS`.

    Args:
        record: Counts one value of a metric.
        event: What set the run off, as the runner calls it.
    """

    def __init__(self, record: Record, *, event: str) -> None:
        self._record = record
        self._event: dict[str, Fact] = {names.EVENT: event}
        self._waiting: int | None = None
        self._calls: deque[tuple[Spanned, str, Mapping[str, Fact], float]] = deque(maxlen=_CALLS)

    def judging(self, waiting: int) -> None:
        """Note how many judgements are waited for; `settle` counts it."""
        self._waiting = waiting

    def called(self, kind: Spanned, model: str, told: Mapping[str, Fact], seconds: float) -> None:
        """Note one call of a model, with its tokens where the server named them."""
        self._calls.append((kind, model, told, seconds))

    def settle(self) -> None:
        """Count what was noted: many calls in a row take half the time."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._record(names.JUDGING, waiting, self._event)
        while self._calls:
            self._count(*self._calls.popleft())

    def _count(self, kind: Spanned, model: str, told: Mapping[str, Fact], seconds: float) -> None:
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
        for metric in decision.metrics:
            for side, mean in (("baseline", metric.baseline), ("candidate", metric.candidate)):
                if mean is not None:
                    about = {names.METRIC: metric.metric, names.SIDE: side}
                    self._record(names.SCORES, mean, {**gate, **about})

    def _of(self, gate: str) -> dict[str, Fact]:
        return {**self._event, names.GATE: gate}
