"""The charts, each from its rows."""

import datetime
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

FONT = 12
_CHAR = 6.6  # of that size, on average
Value = str | float | None


def element(tag: str, *inner: str, **attributes: Value) -> str:
    """Return an element; `inner` is mark-up, an attribute's value is not."""
    said = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_written(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{said}>{''.join(inner)}</{tag}>"


def _written(value: Value) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, *, fill: str = "soft", **more: Value) -> str:
    """Return a text that begins at x, y, or by ``text_anchor`` has its middle or end there."""
    shown: dict[str, Value] = {"font_size": FONT, **more}
    return element("text", escape(words, quote=False), x=x, y=y, fill=colour(fill), **shown)


def colour(name: str) -> str:
    """Return a variable of the page, so that one drawing serves light and dark."""
    return f"var(--{name})"


def cut(words: str, width: float) -> str:
    """Return as much of `words` as a width has room for."""
    most = max(1, int(width / _CHAR))
    return words if len(words) <= most else f"{words[: most - 1]}…"


def figure(
    parts: Iterable[str], width: float, height: float, label: str, *, role: str = "img"
) -> str:
    """Return the whole picture.

    Args:
        label: What it shows, for whoever does not see it.
        role: ``group`` where it holds links, which the parts of an image cannot be.
    """
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        role=role,
        aria_label=label,
    )


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


def below(x: Axis, top: float, bottom: float) -> Iterable[str]:
    """Yield the grid and the labels of an axis that runs below a picture."""
    for at, label in x.labels():
        yield element("line", x1=at, x2=at, y1=top, y2=bottom, stroke=colour("line"))
        yield text(at, bottom + 16, label, text_anchor="middle")


def beside(y: Axis, left: float, right: float) -> Iterable[str]:
    """Yield the grid and the labels of an axis that runs up a picture's left side."""
    for at, label in y.labels():
        yield element("line", x1=left, x2=right, y1=at, y2=at, stroke=colour("line"))
        yield text(left - 6, at + 4, label, text_anchor="end")


# The drawings, made of these marks.


Rows = list[dict[str, Any]]
_RANKS = ("1", "2", "3", "4–5", "6–10", "11+", "none")
_DAY = 86_400_000.0
_EDGE = 18.0  # of a scatter: points of one place lie around it
_SIDES = frozenset({"before", "now", "worse", "better"})  # of a bar; any other is calm
_FILL = {"worse": "bad", "better": "good", "calm": "now"}  # of a tone that is no colour itself


def intervals(rows: Rows, label: str) -> str:
    """Draw each metric's change with its interval, its allowed and its smallest visible drop."""
    left, right, step = 150.0, 380.0, 42.0
    names = ("change", "low", "high", "allowed", "visible")
    values = [row[key] for row in rows for key in names if row[key] is not None]
    x = axis([0.0, *values], left, right)
    bottom = step * len(rows)
    parts = [*below(x, 0, bottom), _line(x.at(0), 0, x.at(0), bottom, "soft")]
    for place, row in enumerate(rows):
        parts += _interval(row, x, step * (place + 0.5))
    return figure(parts, right + 20, bottom + 22, label)


def _interval(row: dict[str, Any], x: Axis, y: float) -> Iterator[str]:
    tone = _FILL.get(row["tone"], row["tone"])
    at = {key: x.at(value) for key, value in row.items() if isinstance(value, float | int)}
    yield text(144, y - 3, cut(row["metric"], 138), fill="ink", text_anchor="end")
    yield text(144, y + 12, row["levels"], font_size=11, text_anchor="end")
    if "visible" in at:
        yield _line(at["visible"], y - 11, at["visible"], y + 11, "soft", stroke_width=2)
    if "allowed" in at:
        yield _line(at["allowed"], y - 11, at["allowed"], y + 11, "look", stroke_width=3)
    yield _line(at["low"], y, at["high"], y, tone, stroke_width=3, stroke_linecap="round")
    yield element("circle", cx=at["change"], cy=y, r=5.4, fill=colour(tone))


def scatter(rows: Rows, unmoved: Rows, ends: Sequence[float], label: str) -> str:
    """Draw each question that moved, before and now, as a link to it.

    Args:
        ends: All scores that the axes hold.
    """
    left, right, top, bottom = 52.0, 352.0, 0.0, 260.0
    x = axis(ends, left + _EDGE, right - _EDGE)
    y = axis(ends, bottom - _EDGE, top + _EDGE)
    parts = [*below(x, top, bottom), *beside(y, left, right)]
    parts += _titles((left + right) / 2, bottom + 36, "before", bottom / 2, "now")
    low, high = min(ends), max(ends)
    way = (x.at(low), y.at(low), x.at(high), y.at(high))
    parts.append(_line(*way, "soft", stroke_dasharray="4 4"))
    most = max((row["count"] for row in unmoved), default=1)
    parts += [
        _dot(x.at(row["at"]), y.at(row["at"]), 20 + 680 * row["count"] / most, "soft", opacity=0.3)
        for row in unmoved
    ]
    parts += [_linked(row, x, y) for row in rows]
    return figure(parts, right + 20, bottom + 44, label, role="group")


def _linked(row: dict[str, Any], x: Axis, y: Axis) -> str:
    at, fill = (x.at(row["before"]), y.at(row["now"])), _FILL[row["tone"]]
    point = _dot(*at, 44, fill, opacity=0.75, stroke=colour("card"), stroke_width=0.5)
    title = element("title", escape(row["name"], quote=False))
    return element("a", point, title, href=row["link"], tabindex="-1")


def ranks(rows: Rows, label: str) -> str:
    """Draw how many expected documents went from which rank to which."""
    left, step, bottom = 64.0, 40.0, 280.0
    at = {name: step * (place + 0.5) for place, name in enumerate(_RANKS)}
    most = max(row["count"] for row in rows)
    parts = []
    for name, place in at.items():
        parts.append(_line(left + place, 0, left + place, bottom, "line"))
        parts.append(_line(left, place, left + 280, place, "line"))
        parts.append(text(left + place, bottom + 16, name, text_anchor="middle"))
        parts.append(text(left - 6, place + 4, name, text_anchor="end"))
    parts += _titles(left + 140, bottom + 36, "rank before", bottom / 2, "rank now")
    for row in rows:
        cx, cy = left + at[row["before"]], at[row["now"]]
        fill = "before" if row["tone"] == "calm" else _FILL[row["tone"]]
        parts.append(_dot(cx, cy, 180 + 720 * row["count"] / most, fill, opacity=0.85))
        bold: dict[str, str] = {"text_anchor": "middle", "font_weight": "bold"}
        parts.append(text(cx, cy + 4, f"{row['count']:,}", fill="card", **bold))
    return figure(parts, left + 300, bottom + 44, label)


def spent(rows: Rows, label: str) -> str:
    """Draw bars of what the two sides took, or of counts, each metric by a scale of its own."""
    left, width, top = 72.0, 260.0, 0.0
    parts: list[str] = []
    for metric, group in groupby(rows, key=lambda row: row["metric"]):
        bars = list(group)
        most = max(abs(row["value"]) for row in bars) or 1.0
        if metric:
            parts.append(text(left, top + 12, metric, fill="ink", font_weight="bold"))
            top += 20
        for row in bars:
            long = width * max(0.0, row["value"]) / most
            parts.append(text(left - 6, top + 14, row["side"], fill="ink", text_anchor="end"))
            size = {"x": left, "y": top + 3, "width": long, "height": 14.0, "rx": 3.0}
            tone = row["side"] if row["side"] in _SIDES else "soft"
            parts.append(element("rect", **size, fill=colour(_FILL.get(tone, tone))))
            parts.append(text(left + long + 5, top + 14, row["figure"], fill="ink"))
            top += 20
        top += 14
    return figure(parts, left + width + 110, top - 8, label)


def trend(rows: Rows, runs: Rows, marks: Sequence[float], label: str) -> str:
    """Draw a metric over time: commits as steps that break where two do not compare, and runs.

    Args:
        marks: Times of a vertical line.
    """
    left, right, bottom, height = 52.0, 352.0, 126.0, 120.0
    shown = [*rows, *runs]
    times = [*(row["at"] for row in shown), *marks]
    x = Axis([min(times), max(max(times), min(times) + _DAY)], left, right)
    y = axis([row["value"] for row in shown], bottom, bottom - height, most=4)
    parts = [*beside(y, left, right), *_dates(x, bottom)]
    parts += [_line(at, 6, at, bottom, "look", stroke_dasharray="3 3") for at in map(x.at, marks)]
    for _, group in groupby(rows, key=lambda row: row["segment"]):
        parts.append(_steps([(x.at(row["at"]), y.at(row["value"])) for row in group]))
    for row in shown:
        at = (x.at(row["at"]), y.at(row["value"]))
        is_run = "segment" not in row
        parts.append(
            _dot(*at, 40, "soft", fill_opacity=0.0, stroke=colour("soft"))
            if is_run
            else _dot(*at, 22, "now")
        )
    return figure(parts, right + 30, bottom + 22, label)


def _dates(x: Axis, bottom: float) -> Iterator[str]:
    """Yield up to four dates, at whole days."""
    first, last = (math.floor(end / _DAY) for end in (x.ticks[0], x.ticks[-1]))
    step = max(1, math.ceil((last - first) / 4))
    for day in range(first, last + 1, step):
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
        at = max(x.at(day * _DAY), x.start)
        yield text(at, bottom + 16, f"{date.day} {date:%b %y}", text_anchor="middle")


def _steps(points: list[tuple[float, float]]) -> str:
    way = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    way += "".join(f"H{across:.1f}V{up:.1f}" for across, up in points[1:])
    return element("path", d=way, fill="none", stroke=colour("now"), stroke_width=2)


def _line(x1: float, y1: float, x2: float, y2: float, tone: str, **more: str | float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour(tone), **more)


def _dot(x: float, y: float, area: float, fill: str, **more: str | float) -> str:
    return element("circle", cx=x, cy=y, r=math.sqrt(area / math.pi), fill=colour(fill), **more)


def _titles(x: float, y: float, below_: str, side_y: float, side: str) -> list[str]:
    turned = f"rotate(-90 12 {side_y:g})"
    return [
        text(x, y, below_, text_anchor="middle"),
        text(12, side_y, side, text_anchor="middle", transform=turned),
    ]
