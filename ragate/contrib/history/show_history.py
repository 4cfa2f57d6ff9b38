"""A history as text of 80 columns, as JSON, as Mermaid, and as Markdown for a job's summary."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from ragate.contrib.history.read_history import (
    WINDOW,
    History,
    HistoryPoint,
    MetricHistory,
    Move,
    StoredPoint,
    metric_histories,
)
from ragate.guards.escape import one_line, short_sha
from ragate.renderers._templates import template
from ragate.repository.git import FileCommit
from ragate.stores.listed_run import ListedRun


class VerdictLook(NamedTuple):
    """A verdict in a word, the colour of its badge, and its class on a page."""

    word: str
    colour: str
    sign: str


_LOOKS = {
    "passed": VerdictLook("passed", "#2b7a3d", "good"),
    "failed": VerdictLook("failed", "#b3261e", "red"),
    "no_decision": VerdictLook("no decision", "#7d5300", "no-decision"),
    "bootstrap": VerdictLook("first run", "#57606a", "bootstrap"),
}
_UNMEASURED = VerdictLook("not measured", "#57606a", "no-decision")
_CHAR = 6.6  # pixels of a letter of 11 px, wide enough for every sans-serif
_PADDING = 6
_MOST_CHARS = 40
_BARS = "▁▂▃▄▅▆▇█"
_COLUMNS = 80
_WIDTH = 24
_NAMES = (20, 43)  # the narrowest and the widest column of names
_FIGURES = 27  # columns beside name and bars
_GLUE = "\u00a0"  # between a name and its figure
_MOST_MOVES = 5
_MOST_POINTS = 60
MOST_ROWS, MOST_CHARTS = 50, 8  # of a summary
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

    What else changed, what cannot be read and what is stored here stands below.
    """
    shown = metric_histories(history, metrics)
    longest = max([len(one_line(each.name)) for each in shown], default=0)
    room = min(max(longest, _NAMES[0]), _NAMES[1])
    bars = min(_WIDTH, _COLUMNS - _FIGURES - room)
    lines = [one_line(f"{history.gate}: {history.path}"), period(history), *history.notes, ""]
    lines.append(f"{'':<{room}} {'':<{bars}} {'now':>6} {'in all':>7} {f'{WINDOW} days':>8}")
    for metric in shown:
        line = sparkline([value for _, value in metric.means], bars)
        lines += _metric_lines(metric, f"{one_line(metric.name, room):<{room}} {line:<{bars}}")
    if marked := list(what_else(history)):
        lines += ["", "What else changed:"]
        lines += [f"  {at.date[:10]} {at.commit[:7]}  {mark}" for at, mark in marked]
    if history.runs:
        lines += ["", "Runs that are stored here:", *_run_lines(history, metrics)]
    return "\n".join(lines)


def what_else(history: History) -> Iterator[tuple[FileCommit, str]]:
    """Yield what changed beside the means, and what cannot be read."""
    for point in history.points:
        for mark in (*point.marks, *filter(None, [point.problem])):
            yield point.commit, one_line(mark)


def period(history: History) -> str:
    """Return how many commits there are, and from when to when."""
    first, last = history.points[0].commit, history.points[-1].commit
    count = counted_commits(len(history.points))
    oldest, newest = (f"{at.date[:10]} ({at.commit[:7]})" for at in (first, last))
    return f"{count} from {oldest} to {newest}"


def counted_commits(count: int) -> str:
    """Return how many commits, in words."""
    return f"{count:,} commit{'' if count == 1 else 's'}"


def _metric_lines(metric: MetricHistory, head: str) -> Iterator[str]:
    moved = [move for move in metric.moves if abs(move.after - move.before) >= _SHOWN]
    drifts = f"{signed(metric.drift):>7} {signed(metric.lately):>8} {arrow_of(metric.lately)}"
    yield f"{head} {metric.newest:>6.3f} {drifts}".rstrip()
    for move in reversed(moved[-_MOST_MOVES:]):
        yield f"  {moved_by(move):>7}  {_at(move)}"
    if len(moved) > _MOST_MOVES:
        yield f"  and {len(moved) - _MOST_MOVES} earlier moves: --format json"


def _run_lines(history: History, metrics: Sequence[str]) -> Iterator[str]:
    """Yield each run with the metrics that are named, without any with those that differ."""
    main = {each.name: each.newest for each in metric_histories(history)}
    for run in reversed(history.runs):
        names = metrics or [name for name in run.means if _differs(run.means[name], main.get(name))]
        shown = [
            f"{one_line(name)}{_GLUE}{run.means[name]:.3f}" for name in names if name in run.means
        ]
        yield from _folded(
            f"  {run.created[:10]} {run.commit[:7]}  {run.status}  "
            f"{', '.join(shown) or ('' if metrics else 'as the baseline')}"
        )


def _differs(value: float, main: float | None) -> bool:
    """Return whether a mean reads otherwise than main's newest."""
    return main is not None and abs(value - main) >= _SHOWN


def _folded(line: str) -> Iterator[str]:
    """Yield a line in the terminal's width, broken between figures."""
    text = textwrap.fill(
        line,
        _COLUMNS,
        subsequent_indent=" " * 6,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from text.replace(_GLUE, " ").split("\n")


def signed(change: float | None) -> str:
    """Return a change with its sign; "" where nothing compares."""
    return "" if change is None else f"{round(change, 3) + 0.0:+.3f}"


def arrow_of(change: float | None) -> str:
    """Return which way a change goes; "" where it reads as none."""
    if change is None or abs(change) < _SHOWN:
        return ""
    return "↑" if change > 0 else "↓"


def moved_by(move: Move) -> str:
    """Return how far a metric moved, ``anew`` where the two do not compare."""
    return signed(move.change) or "anew"


def _at(move: Move) -> str:
    return f"{move.commit.date[:10]} {move.commit.commit[:7]}  {one_line(move.commit.subject, 48)}"


def as_mermaid(history: History, metrics: Sequence[str]) -> str:
    """Return a chart for each metric, as Markdown; GitHub draws it in a summary and a comment."""
    return "\n\n".join(map(_chart, metric_histories(history, metrics)))


def _chart(metric: MetricHistory) -> str:
    shown = metric.means[-_MOST_POINTS:]
    values = [value for _, value in shown]
    low, high = min(values), max(values)
    room = (high - low) * 0.1 or 0.05
    labels = ", ".join(f'"{point.commit.commit[:7]}"' for point, _ in shown)
    figures = ", ".join(f"{value:.6f}" for value in values)
    title = "".join(char for char in metric.name if char.isalnum() or char in "@._-: ")
    return (
        f'```mermaid\nxychart-beta\n  title "{title}"\n  x-axis [{labels}]\n'
        f"  y-axis {low - room:.6f} --> {high + room:.6f}\n  line [{figures}]\n```"
    )


def as_json(history: History, metrics: Sequence[str]) -> str:
    """Return every point, and every move of each metric; a mean that is not there is absent."""
    shown = metric_histories(history, metrics)
    names = [each.name for each in shown]
    facts = {
        "schema_version": 1,
        "gate": history.gate,
        "path": history.path,
        "notes": list(history.notes),
        "window_days": WINDOW,
        "points": [_point_facts(point, names) for point in history.points],
        "metrics": {each.name: _metric_facts(each) for each in shown},
        "runs": [_run_facts(run, names) for run in history.runs],
    }
    return json.dumps(facts, indent=2, allow_nan=False)


def _metric_facts(metric: MetricHistory) -> dict[str, Any]:
    moves = [
        {
            "commit": move.commit.commit,
            "before": move.before,
            "after": move.after,
            "change": move.change,
        }
        for move in metric.moves
    ]
    return {"drift": metric.drift, "window_drift": metric.lately, "moves": moves}


def _point_facts(point: HistoryPoint, names: Sequence[str]) -> dict[str, Any]:
    held = point.held
    return {
        "commit": point.commit.commit,
        "date": point.commit.date,
        "subject": point.commit.subject,
        "samples": held.samples if held else None,
        "means": _named(held.means, names) if held else {},
        "marks": list(point.marks),
        "problem": point.problem,
    }


def _run_facts(run: StoredPoint, names: Sequence[str]) -> dict[str, Any]:
    where = {"run_id": run.run_id, "commit": run.commit, "created": run.created}
    return {**where, "status": run.status, "means": _named(run.means, names)}


def _named(means: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    return {name: means[name] for name in names if name in means}


def as_summary(history: History) -> str:
    """Return the history as Markdown; no word that a commit or a person wrote is in it."""
    metrics = metric_histories(history)
    charts = [each.name for each in metrics[:MOST_CHARTS]]
    return (
        template("ragate.contrib.history:summary.html.j2")
        .render(
            gate=history.gate,
            period=period(history),
            notes=history.notes,
            window=f"{WINDOW} days",
            rows=[_row(each) for each in metrics[:MOST_ROWS]],
            more=len(metrics) - MOST_ROWS,
            charts=Markup(as_mermaid(history, charts)),  # noqa: S704  letters and figures
        )
        .rstrip("\n")
    )


def _row(metric: MetricHistory) -> tuple[str, ...]:
    lately = f"{signed(metric.lately)} {arrow_of(metric.lately)}".strip()
    last = short_sha(metric.moves[-1].commit.commit) if metric.moves else ""
    return metric.name, f"{metric.newest:.3f}", signed(metric.drift), lately, last


# The look and the badge of the last verdict of a branch.


def look_of(run: ListedRun | None) -> VerdictLook:
    """Return how the verdict of a run is shown; of no run it is that nothing was measured."""
    return _UNMEASURED if run is None else _LOOKS[run.status]


def badge(gate: str, run: ListedRun | None) -> str:
    """Return the badge as SVG: the gate, and its last verdict.

    No script, no style, no address: it may stand in any page.
    """
    look, name = look_of(run), one_line(gate, _MOST_CHARS) or "ragate"
    left, right = (_PADDING * 2 + len(text) * _CHAR for text in (name, look.word))
    facts = {"name": name, "word": look.word, "colour": look.colour, "left": left, "right": right}
    return template("ragate.contrib.history:badge.svg.j2").render(facts).strip()
