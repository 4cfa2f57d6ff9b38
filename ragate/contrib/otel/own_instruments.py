"""Counters and histograms that plugins and code under test add to ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from opentelemetry.metrics import Meter

from ragate.spans import Fact, OwnInstrument

# Code under test may write what it likes: a collector that is paid by series is not to be flooded.
MOST_INSTRUMENTS = 100
MOST_ATTRIBUTES = 10
LONGEST_TEXT = 200
_Recorder = Callable[[float, Mapping[str, Fact]], None]


class OwnInstruments:
    """Instruments by name, made where the first value comes.

    Attributes:
        refused: Names of those with values that could not be sent.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._made: dict[str, tuple[OwnInstrument, _Recorder]] = {}
        self.refused: set[str] = set()

    def measured(
        self, instrument: OwnInstrument, value: float, attributes: Mapping[str, Fact]
    ) -> None:
        """Take one value, where it is a finite number and the instrument is what it was."""
        record = self._recorder(instrument)
        if record is None or not _is_value(instrument, value) or len(attributes) > MOST_ATTRIBUTES:
            self.refused.add(instrument.name)
            return
        record(value, {str(name): _fact(each) for name, each in attributes.items()})

    def _recorder(self, instrument: OwnInstrument) -> _Recorder | None:
        if instrument.name not in self._made:
            if len(self._made) >= MOST_INSTRUMENTS:
                return None
            self._made[instrument.name] = instrument, self._make(instrument)
        first, record = self._made[instrument.name]
        return record if (first.kind, first.unit) == (instrument.kind, instrument.unit) else None

    def _make(self, instrument: OwnInstrument) -> _Recorder:
        described = (instrument.name, instrument.unit[:63], instrument.says[:LONGEST_TEXT])
        if instrument.kind == "counter":
            return self._meter.create_counter(*described).add
        return self._meter.create_histogram(*described).record


def _is_value(instrument: OwnInstrument, value: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and (instrument.kind == "histogram" or value >= 0)


def _fact(value: Fact) -> Fact:
    if isinstance(value, bool | int | float):
        return value
    return str(value)[:LONGEST_TEXT].encode("utf-8", "replace").decode()
