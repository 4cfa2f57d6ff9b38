"""A metric over time as a picture: axes here, shapes in ``trend.svg.j2``."""

import datetime
import math
from collections.abc import Iterator, Sequence

from ragate.renderers._templates import template
from ragate.renderers.html.drawings import Axis, Rows, axis

_DAY = 86_400_000.0


def trend(rows: Rows, runs: Rows, marks: Sequence[float], label: str) -> str:
    """Draw a metric over time: commits as steps that break where two do not compare, and runs.

    Args:
        marks: Times of a vertical line.
    """
    shown = [*rows, *runs]
    times = [*(row["at"] for row in shown), *marks]
    x = Axis([min(times), max(max(times), min(times) + _DAY)], 52.0, 352.0)
    y = axis([row["value"] for row in shown], 126.0, 6.0, most=4)
    shapes = template("ragate.contrib.history:trend.svg.j2")
    facts = {"rows": rows, "runs": runs, "marks": marks, "label": label}
    return shapes.render(facts, x=x, y=y, days=list(_days(x))).strip()


def _days(x: Axis) -> Iterator[tuple[float, str]]:
    """Yield up to four dates, at whole days, and where they lie."""
    first, last = (math.floor(end / _DAY) for end in (x.ticks[0], x.ticks[-1]))
    step = max(1, math.ceil((last - first) / 4))
    for day in range(first, last + 1, step):
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
        yield max(x.at(day * _DAY), x.start), f"{date.day} {date:%b %y}"
