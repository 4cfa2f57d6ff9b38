"""A history as text of 80 columns, as JSON, as Mermaid, and as Markdown for a job's summary."""

import html
import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ragate.guards.escape import code, one_line, short_sha
from ragate.guards.escape import name as safe_name
from ragate.history.read_history import (
    WINDOW,
    History,
    HistoryPoint,
    Move,
    StoredPoint,
    drift,
    metric_names,
    moves,
    series,
)
from ragate.repository.git import FileCommit
from ragate.stores.listed_run import ListedRun

_WORDS = {
    "passed": ("passed", "#2b7a3d"),
    "failed": ("failed", "#b3261e"),
    "no_decision": ("no decision", "#7d5300"),
    "bootstrap": ("first run", "#57606a"),
}
_UNMEASURED = ("not measured", "#57606a")
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
    title = one_line(f"{history.gate}: {history.path}")
    lines = [title, period(history), *history.notes, ""]
    names = list(metrics) or metric_names(history)
    longest = max([len(one_line(name)) for name in names], default=0)
    room = min(max(longest, _NAMES[0]), _NAMES[1])
    bars = min(_WIDTH, _COLUMNS - _FIGURES - room)
    lines.append(f"{'':<{room}} {'':<{bars}} {'now':>6} {'in all':>7} {f'{WINDOW} days':>8}")
    for name in names:
        line = sparkline([value for _, value in series(history, name)], bars)
        head = f"{one_line(name, room):<{room}} {line:<{bars}}"
        lines += _metric_lines(history, name, head)
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


def _metric_lines(history: History, name: str, head: str) -> Iterator[str]:
    moved = [move for move in moves(history, name) if abs(move.after - move.before) >= _SHOWN]
    whole, lately = (signed(drift(history, name, days=days)) for days in (None, WINDOW))
    arrow = arrow_of(drift(history, name, days=WINDOW))
    yield f"{head} {_newest(history, name):>6.3f} {whole:>7} {lately:>8} {arrow}".rstrip()
    for move in reversed(moved[-_MOST_MOVES:]):
        yield f"  {_change(move):>7}  {_at(move)}"
    if len(moved) > _MOST_MOVES:
        yield f"  and {len(moved) - _MOST_MOVES} earlier moves: --format json"


def _run_lines(history: History, metrics: Sequence[str]) -> Iterator[str]:
    """Yield each run with the metrics that are named, without any with those that differ."""
    main = {name: _newest(history, name) for name in metric_names(history)}
    for run in reversed(history.runs):
        names = metrics or [name for name in run.means if _differs(run.means[name], main.get(name))]
        shown = [
            f"{one_line(name)}{_GLUE}{run.means[name]:.3f}" for name in names if name in run.means
        ]
        yield from _folded(
            f"  {run.created[:10]} {run.commit[:7]}  {run.status}  "
            f"{', '.join(shown) or ('' if metrics else 'as the baseline')}"
        )


def _newest(history: History, name: str) -> float:
    return series(history, name)[-1][1]


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


def _change(move: Move) -> str:
    return signed(move.change) or "anew"


def _at(move: Move) -> str:
    return f"{move.commit.date[:10]} {move.commit.commit[:7]}  {one_line(move.commit.subject, 48)}"


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


def as_json(history: History, metrics: Sequence[str]) -> str:
    """Return every point, and every move of each metric; a mean that is not there is absent."""
    names = list(metrics) or metric_names(history)
    by_metric: dict[str, Any] = {
        name: {
            "drift": drift(history, name),
            "window_drift": drift(history, name, days=WINDOW),
            "moves": [_move_facts(move) for move in moves(history, name)],
        }
        for name in names
    }
    facts = {
        "schema_version": 1,
        "gate": history.gate,
        "path": history.path,
        "notes": list(history.notes),
        "window_days": WINDOW,
        "points": [_point_facts(point, names) for point in history.points],
        "metrics": by_metric,
        "runs": [_run_facts(run, names) for run in history.runs],
    }
    return json.dumps(facts, indent=2, allow_nan=False)


def _point_facts(point: HistoryPoint, names: Sequence[str]) -> dict[str, Any]:
    held = point.held
    return {
        "commit": point.commit.commit,
        "date": point.commit.date,
        "subject": point.commit.subject,
        "samples": held.samples if held else None,
        "means": {name: held.means[name] for name in names if name in held.means} if held else {},
        "marks": list(point.marks),
        "problem": point.problem,
    }


def _move_facts(move: Move) -> dict[str, Any]:
    figures = {"before": move.before, "after": move.after, "change": move.change}
    return {"commit": move.commit.commit, **figures}


def _run_facts(run: StoredPoint, names: Sequence[str]) -> dict[str, Any]:
    means = {name: value for name, value in run.means.items() if name in names}
    where = {"run_id": run.run_id, "commit": run.commit, "created": run.created}
    return {**where, "status": run.status, "means": means}


def as_summary(history: History) -> str:
    """Return the history; no word that a commit or a person wrote is in it."""
    names = metric_names(history)
    lines = [
        f"<h3>History of {safe_name(history.gate)}</h3>",
        f"<p>{one_line(period(history))}.</p>",
    ]
    lines += [f"<p>{code(note, 300)}</p>" for note in history.notes]
    if not names:
        return "\n".join([*lines, "<p>No commit holds a figure.</p>"])
    heads = ("metric", "now", "in all", f"{WINDOW} days", "last moved by")
    lines.append(f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>")
    lines += [_row(history, each) for each in names[:MOST_ROWS]]
    lines += ["</table>", *_left_out(names)]
    charts = as_mermaid(history, names[:MOST_CHARTS])
    return "\n".join(
        [*lines, "", "<details><summary>Charts</summary>", "", charts, "", "</details>"]
    )


def _row(history: History, metric: str) -> str:
    values, moved = series(history, metric), moves(history, metric)
    lately = drift(history, metric, days=WINDOW)
    cells = [
        safe_name(metric),
        f"{values[-1][1]:.3f}",
        signed(drift(history, metric)),
        f"{signed(lately)} {arrow_of(lately)}".strip(),
        code(short_sha(moved[-1].commit.commit)) if moved else "",
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _left_out(names: list[str]) -> Iterator[str]:
    if len(names) > MOST_ROWS:
        yield f"<p>and {len(names) - MOST_ROWS} more metrics: <code>ragate history</code></p>"


# The words and the badge of the last verdict of a branch.


def word_of(run: ListedRun | None) -> str:
    """Return the verdict in words; of no run it is that nothing was measured."""
    return _shown(run)[0]


def _shown(run: ListedRun | None) -> tuple[str, str]:
    return _UNMEASURED if run is None else _WORDS[run.status]


def badge(gate: str, run: ListedRun | None) -> str:
    """Return the badge as SVG: the gate, and its last verdict.

    No script, no style, no address: it may stand in any page.
    """
    word, colour = _shown(run)
    name = one_line(gate, _MOST_CHARS) or "ragate"
    left, right = (_PADDING * 2 + len(text) * _CHAR for text in (name, word))
    wide = left + right
    end = f"a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3:.1f}z"  # round on the right
    label = html.escape(f"{name}: {word}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="20" role="img" '
        f'aria-label="{label}"><title>{label}</title>'
        f'<rect width="{wide:.0f}" height="20" rx="3" fill="#3b424a"/>'
        f'<path d="M{left:.1f} 0h{right - 3:.1f}{end}" '
        f'fill="{colour}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11" text-anchor="middle">{_text(name, left / 2)}'
        f"{_text(word, left + right / 2)}</g></svg>"
    )


def _text(text: str, middle: float) -> str:
    length = len(text) * _CHAR
    return f'<text x="{middle:.1f}" y="14" textLength="{length:.1f}">{html.escape(text)}</text>'
