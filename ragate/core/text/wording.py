"""The sentences of a verdict: plain, with the limit beside the value."""

from collections.abc import Sequence

from ragate.models import Direction, MetricInfo


def listed(names: Sequence[str], most: int = 5) -> str:
    """Join the first names; the others are counted."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def number(value: float) -> str:
    """Three decimals; no minus before a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def moved(info: MetricInfo, before: float, after: float) -> str:
    """Say how a mean moved: ``mrr fell by 0.083 (0.912 -> 0.829)``."""
    change = after - before
    if abs(change) < 5e-10:
        return f"{info.name} stayed at {number(after)}"
    verb = "fell" if change < 0 else "rose"
    return f"{info.name} {verb} by {number(abs(change))} ({number(before)} -> {number(after)})"


def odds(p: float, draws: int = 10_000) -> str:
    """Say a p as a frequency; never as 0."""
    if p >= 0.5:
        return "in most runs"
    if p <= 1 / draws:
        return f"in fewer than 1 run in {draws:,}"
    return f"in about 1 run in {round(1 / p):,}"


def harmless(alpha: float) -> str:
    """Return ``at most 1 change in 50 that ...``: what the level of the tests holds for."""
    return (
        f"at most 1 change in {round(1 / alpha):,} that leaves the answers as they are, or words "
        "them otherwise without moving the metric on average,"
    )


def count(n: int, noun: str) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def points(drop: float) -> str:
    """A fraction of the range in points: ``8.1 points``, ``1 point``; rounded up by the caller."""
    text = f"{round(drop * 100, 1):g}"
    return f"{text} point" if text == "1" else f"{text} points"


def worse_way(info: MetricInfo) -> str:
    """The direction that is bad, as a noun."""
    return "drop" if info.direction is Direction.HIGHER else "rise"
