"""A history as text of 80 columns, as JSON, and as Mermaid for a job's summary."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ragate.pipeline.history.read_history import (
    History,
    Move,
    drift,
    metric_names,
    moves,
    series,
)
from ragate.support.escape import one_line

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 24
_MOST_MOVES = 5
_MOST_POINTS = 60
_SHOWN = 0.0005  # a smaller move would read as 0.000


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """Return the newest `width` values as bars from the lowest to the highest; equal ones are flat.

    Bars show a shape and no size: the figures stand beside them.
    """
    shown = values[-width:]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    if high == low:
        return _BARS[3] * len(shown)
    steps = len(_BARS) - 1
    return "".join(_BARS[round((value - low) / (high - low) * steps)] for value in shown)


def as_text(history: History, metrics: Sequence[str]) -> str:
    """Return each metric with its sparkline, newest mean, drift and the newest commits that moved.

    What else changed, and what cannot be read, stands below.
    """
    points = history.points
    first, last = points[0].commit, points[-1].commit
    count = f"{len(points):,} commit{'' if len(points) == 1 else 's'}"
    oldest, newest = (f"{at.date[:10]} ({at.commit[:7]})" for at in (first, last))
    title = one_line(f"{history.gate}: {history.path}")
    lines = [title, f"{count} from {oldest} to {newest}", ""]
    for name in metrics or metric_names(history):
        lines += _metric_lines(history, name)
    marked = [(point.commit, mark) for point in points for mark in point.marks]
    marked += [(point.commit, point.problem) for point in points if point.problem]
    if marked:
        lines += ["", "What else changed:"]
        lines += [f"  {at.date[:10]} {at.commit[:7]}  {one_line(mark)}" for at, mark in marked]
    return "\n".join(lines)


def _metric_lines(history: History, name: str) -> Iterator[str]:
    values = [value for _, value in series(history, name)]
    moved = [move for move in moves(history, name) if abs(move.after - move.before) >= _SHOWN]
    whole = drift(history, name)
    change = "" if whole is None else f"  {round(whole, 3) + 0.0:+.3f} over these commits"
    yield f"{one_line(name):<20} {sparkline(values):<{_WIDTH}} {values[-1]:.3f}{change}"
    for move in reversed(moved[-_MOST_MOVES:]):
        yield f"  {_change(move):>7}  {_at(move)}"
    if len(moved) > _MOST_MOVES:
        yield f"  and {len(moved) - _MOST_MOVES} earlier moves: --format json"


def _change(move: Move) -> str:
    return "anew" if move.change is None else f"{round(move.change, 3) + 0.0:+.3f}"


def _at(move: Move) -> str:
    return f"{move.commit.date[:10]} {move.commit.commit[:7]}  {one_line(move.commit.subject, 48)}"


def as_json(history: History, metrics: Sequence[str]) -> str:
    """Return every point, and every move of each metric; a mean that is not there is absent."""
    names = list(metrics) or metric_names(history)
    points = [
        {
            "commit": point.commit.commit,
            "date": point.commit.date,
            "subject": point.commit.subject,
            "samples": point.held.samples if point.held else None,
            "means": {n: v for n, v in point.held.means.items() if n in names}
            if point.held
            else {},
            "marks": list(point.marks),
            "problem": point.problem,
        }
        for point in history.points
    ]
    by_metric: dict[str, Any] = {
        name: {
            "drift": drift(history, name),
            "moves": [_move_facts(move) for move in moves(history, name)],
        }
        for name in names
    }
    facts = {"gate": history.gate, "path": history.path, "points": points, "metrics": by_metric}
    return json.dumps({"schema_version": 1, **facts}, indent=2, allow_nan=False)


def _move_facts(move: Move) -> dict[str, Any]:
    figures = {"before": move.before, "after": move.after, "change": move.change}
    return {"commit": move.commit.commit, **figures}


def as_mermaid(history: History, metrics: Sequence[str]) -> str:
    """Return a chart for each metric, as Markdown; GitHub draws it in a summary and a comment."""
    return "\n\n".join(_chart(history, name) for name in metrics or metric_names(history))


def _chart(history: History, name: str) -> str:
    shown = series(history, name)[-_MOST_POINTS:]
    values = [value for _, value in shown]
    low, high = min(values), max(values)
    room = (high - low) * 0.1 or 0.05
    labels = ", ".join(f'"{point.commit.commit[:7]}"' for point, _ in shown)
    figures = ", ".join(f"{value:.6f}" for value in values)
    title = "".join(char for char in name if char.isalnum() or char in "@._-: ")
    return (
        f'```mermaid\nxychart-beta\n  title "{title}"\n  x-axis [{labels}]\n'
        f"  y-axis {low - room:.6f} --> {high + room:.6f}\n  line [{figures}]\n```"
    )
