"""The charts, each from its rows: axes here, shapes in ``charts.svg.j2``."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from ragate.renderers._templates import template

Rows = list[dict[str, Any]]
_EDGE = 18.0  # of a scatter: points of one place lie around it
_LIMITS = ("change", "low", "high", "allowed", "visible")


@dataclass(frozen=True)
class Axis:
    """Values along one direction of a picture, from tick to tick.

    Attributes:
        ticks: At equal steps; the first and the last are its ends.
        start, end: Where these lie.
    """

    ticks: Sequence[float]
    start: float
    end: float

    def at(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def labels(self) -> list[tuple[float, str]]:
        """Return where each tick lies, and how it reads."""
        return [(self.at(tick), f"{tick:,.6g}".replace("-", "−")) for tick in self.ticks]


def axis(values: Iterable[float], start: float, end: float, *, most: int = 5) -> Axis:
    """Return an axis for `values` with at most about so many round steps."""
    held = list(values)
    low, high = min(held), max(held)
    least = 1e-6 * max(abs(low), abs(high), 1e-6)
    if high - low < least:
        low, high = low - least, high + least
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis([n * step for n in range(first, max(last, first + 1) + 1)], start, end)


def intervals(rows: Rows, label: str) -> str:
    """Draw each metric's change with its interval, its allowed and its smallest visible drop."""
    values = [row[key] for row in rows for key in _LIMITS if row[key] is not None]
    return _drawn("intervals", rows, axis([0.0, *values], 150.0, 380.0), label)


def scatter(rows: Rows, unmoved: Rows, ends: Sequence[float], label: str) -> str:
    """Draw each question that moved, before and now, as a link to it.

    Args:
        ends: All scores that the axes hold.
    """
    x = axis(ends, 52.0 + _EDGE, 352.0 - _EDGE)
    y = axis(ends, 260.0 - _EDGE, _EDGE)
    return _drawn("scatter", rows, unmoved, x, y, min(ends), max(ends), label)


def ranks(rows: Rows, label: str) -> str:
    """Draw how many expected documents went from which rank to which."""
    return _drawn("ranks", rows, label)


def bars(rows: Rows, label: str) -> str:
    """Draw bars of what the two sides took, or of counts, each metric by a scale of its own."""
    groups = groupby(rows, key=itemgetter("metric"))
    return _drawn("bars", [(metric, list(group)) for metric, group in groups], label)


def _drawn(chart: str, *facts: Any) -> str:
    return str(getattr(template("html/charts.svg.j2").module, chart)(*facts)).strip()
