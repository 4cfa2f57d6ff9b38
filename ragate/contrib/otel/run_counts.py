"""What a run counts, as metrics of OpenTelemetry."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from ragate.contrib.otel import names
from ragate.contrib.otel.names import INSTRUMENTS, Instrument
from ragate.contrib.otel.own_instruments import OwnInstruments
from ragate.models import PassGroup, Report
from ragate.spans import Fact, Queue, Spanned


class RunCounts:
    """The metrics of `names.INSTRUMENTS`.

    Args:
        event: What set the run off, as the runner calls it.
    """

    def __init__(self, meter: Meter, *, event: str) -> None:
        self._event: dict[str, Fact] = {names.EVENT: event}
        self._paces = {queue: QueuePace() for queue in names.QUEUES}
        paces = {pace.name: self._paces[queue] for queue, (_, pace) in names.QUEUES.items()}
        self._recorders = {
            each.name: _recorder(meter, each) for each in INSTRUMENTS if each.name not in paces
        }
        for each in INSTRUMENTS:
            if each.name in paces:
                look = partial(self._pace, paces[each.name])
                meter.create_observable_gauge(each.name, [look], each.unit, each.says)
        self.own = OwnInstruments(meter)

    def waiting(self, queue: Queue, count: int) -> None:
        """Tell how many of a queue are waited for."""
        self._paces[queue].waiting(count)
        length, _ = names.QUEUES[queue]
        self._record(length, count, self._event)

    def _pace(self, pace: QueuePace, _options: CallbackOptions) -> Iterator[Observation]:
        rate = pace.rate()
        if rate is not None:
            yield Observation(rate, self._event)

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
            self._passes(group, gate)
        for metric in decision.metrics:
            for side, mean in (("baseline", metric.baseline), ("candidate", metric.candidate)):
                if mean is not None:
                    about = {names.METRIC: metric.metric, names.SIDE: side}
                    self._record(names.SCORES, mean, {**gate, **about})

    def _passes(self, group: PassGroup, gate: Mapping[str, Fact]) -> None:
        """Count who passes of a stage, or of a tag or field."""
        if group.share.candidate is None:
            return
        what, about = names.STAGES, {names.STAGE: group.name}
        if group.kind != "stage":
            what = names.GROUPS
            about = {names.GROUP_KIND: group.kind, names.GROUP_NAME: group.name}
        passed = round(group.share.candidate * group.share.n)
        for state, count in (("passed", passed), ("failed", group.share.n - passed)):
            self._record(what, count, {**gate, **about, names.STATE: state})

    def _of(self, gate: str) -> dict[str, Fact]:
        return {**self._event, names.GATE: gate}

    def _record(self, what: Instrument, value: float, attributes: Mapping[str, Fact]) -> None:
        self._recorders[what.name](value, attributes)


class QueuePace:
    """How fast a queue is worked off, as it is looked at every now and then.

    Args:
        clock: Gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._length = 0
        self._ended = 0

    def waiting(self, count: int) -> None:
        """Hear how many are waited for now; fewer than before means that some have ended."""
        if self._since is None:
            self._since = self._clock()
        self._ended += max(0, self._length - count)
        self._length = count

    def rate(self) -> float | None:
        """Return how many ended a second since the last look, None where there was no work.

        0 is a queue that stands still.
        """
        if self._since is None or not (self._ended or self._length):
            self._since = None
            return None
        now = self._clock()
        rate = self._ended / max(now - self._since, 1e-3)
        self._since, self._ended = now, 0
        return rate


def _recorder(meter: Meter, what: Instrument) -> Callable[[float, Mapping[str, Fact]], None]:
    described = (what.name, what.unit, what.says)
    if what.kind == "counter":
        return meter.create_counter(*described).add
    if what.kind == "gauge":
        return meter.create_gauge(*described).set
    return meter.create_histogram(*described).record
