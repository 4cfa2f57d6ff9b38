"""Shapes of a chart as SVG: elements without id, class or style, and axes to place them by."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

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
