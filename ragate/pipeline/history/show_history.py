"""A history as text of 80 columns, and as Mermaid for a job's summary."""

import textwrap
from collections.abc import Iterator, Sequence

from ragate.pipeline.history.moves import Move, drift, metric_names, moves, series
from ragate.pipeline.history.read_history import History
from ragate.support.escape import one_line
from ragate.support.git_history import FileCommit

_BARS = "▁▂▃▄▅▆▇█"
_COLUMNS = 80
_WIDTH = 24
_NAMES = (20, 43)  # the narrowest and the widest column of names
_FIGURES = 25  # columns beside name and bars
_GLUE = "\u00a0"  # between a name and its figure
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


def as_text(history: History, metrics: Sequence[str], *, window: int) -> str:
    """Return each metric with its sparkline, newest mean, drift and the newest commits that moved.

    What else changed, what cannot be read and what is stored here stands below.

    Args:
        window: Days.
    """
    title = one_line(f"{history.gate}: {history.path}")
    lines = [title, period(history), *history.notes, ""]
    names = list(metrics) or metric_names(history)
    longest = max([len(one_line(name)) for name in names], default=0)
    room = min(max(longest, _NAMES[0]), _NAMES[1])
    bars = min(_WIDTH, _COLUMNS - _FIGURES - room)
    lines.append(f"{'':<{room}} {'':<{bars}} {'now':>6} {'in all':>7} {f'{window} days':>8}")
    for name in names:
        line = sparkline([value for _, value in series(history, name)], bars)
        head = f"{one_line(name, room):<{room}} {line:<{bars}}"
        lines += _metric_lines(history, name, window, head)
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


def _metric_lines(history: History, name: str, window: int, head: str) -> Iterator[str]:
    moved = [move for move in moves(history, name) if abs(move.after - move.before) >= _SHOWN]
    whole, lately = (signed(drift(history, name, days=days)) for days in (None, window))
    yield f"{head} {_newest(history, name):>6.3f} {whole:>7} {lately:>8}".rstrip()
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
