"""A history as text of 80 columns, and as Mermaid for a job's summary."""

from collections.abc import Iterator, Sequence

from ragate.pipeline.history.moves import Move, drift, metric_names, moves, series
from ragate.pipeline.history.read_history import History
from ragate.support.escape import one_line
from ragate.support.git_history import FileCommit

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


def as_text(history: History, metrics: Sequence[str], *, window: int) -> str:
    """Return each metric with its sparkline, newest mean, drift and the newest commits that moved.

    What else changed, what cannot be read and what is stored here stands below.

    Args:
        window: Days.
    """
    title = one_line(f"{history.gate}: {history.path}")
    lines = [title, period(history), *history.notes, ""]
    lines.append(f"{'':<20} {'':<{_WIDTH}} {'now':>6} {'in all':>7} {f'{window} days':>8}")
    for name in metrics or metric_names(history):
        lines += _metric_lines(history, name, window)
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
    count = f"{len(history.points):,} commit{'' if len(history.points) == 1 else 's'}"
    oldest, newest = (f"{at.date[:10]} ({at.commit[:7]})" for at in (first, last))
    return f"{count} from {oldest} to {newest}"


def _metric_lines(history: History, name: str, window: int) -> Iterator[str]:
    values = [value for _, value in series(history, name)]
    moved = [move for move in moves(history, name) if abs(move.after - move.before) >= _SHOWN]
    whole, lately = (signed(drift(history, name, days=days)) for days in (None, window))
    line = f"{one_line(name):<20} {sparkline(values):<{_WIDTH}} {values[-1]:>6.3f}"
    yield f"{line} {whole:>7} {lately:>8}".rstrip()
    for move in reversed(moved[-_MOST_MOVES:]):
        yield f"  {_change(move):>7}  {_at(move)}"
    if len(moved) > _MOST_MOVES:
        yield f"  and {len(moved) - _MOST_MOVES} earlier moves: --format json"


def _run_lines(history: History, metrics: Sequence[str]) -> Iterator[str]:
    names = list(metrics) or metric_names(history)
    for run in reversed(history.runs):
        shown = [f"{one_line(name)} {run.means[name]:.3f}" for name in names if name in run.means]
        yield f"  {run.created[:10]} {run.commit[:7]}  {run.status}  {', '.join(shown)}".rstrip()


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
