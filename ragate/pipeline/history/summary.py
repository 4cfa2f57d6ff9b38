"""A history as Markdown for a job's summary: a table, and charts that GitHub draws."""

from collections.abc import Iterator

from ragate.pipeline.history.moves import drift, metric_names, moves, series
from ragate.pipeline.history.read_history import History
from ragate.pipeline.history.show_history import as_mermaid, period, signed
from ragate.support.escape import code, name, one_line, short_sha

MOST_ROWS = 50
MOST_CHARTS = 8


def as_summary(history: History, *, window: int) -> str:
    """Return the history; no word that a commit or a person wrote is in it.

    Args:
        window: Days.
    """
    names = metric_names(history)
    lines = [f"<h3>History of {name(history.gate)}</h3>", f"<p>{one_line(period(history))}.</p>"]
    lines += [f"<p>{code(note, 300)}</p>" for note in history.notes]
    if not names:
        return "\n".join([*lines, "<p>No commit holds a figure.</p>"])
    heads = ("metric", "now", "in all", f"{window} days", "last moved by")
    lines.append(f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>")
    lines += [_row(history, each, window) for each in names[:MOST_ROWS]]
    lines += ["</table>", *_left_out(names)]
    charts = as_mermaid(history, names[:MOST_CHARTS])
    return "\n".join(
        [*lines, "", "<details><summary>Charts</summary>", "", charts, "", "</details>"]
    )


def _row(history: History, metric: str, window: int) -> str:
    values, moved = series(history, metric), moves(history, metric)
    cells = [
        name(metric),
        f"{values[-1][1]:.3f}",
        signed(drift(history, metric)),
        signed(drift(history, metric, days=window)),
        code(short_sha(moved[-1].commit.commit)) if moved else "",
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _left_out(names: list[str]) -> Iterator[str]:
    if len(names) > MOST_ROWS:
        yield f"<p>and {len(names) - MOST_ROWS} more metrics: <code>ragate history</code></p>"
