"""``ragate history``: how the main branch moved, from the baselines in git."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config
from ragate.cli.options import DAY, config_option, file_option, meta_option, run_filter
from ragate.cli.put_out import put_out
from ragate.errors import UsageError
from ragate.settings import nearest

if TYPE_CHECKING:
    from ragate.contrib.history.read_history import History


@click.command("history")
@config_option
@click.option("--metric", "metrics", multiple=True, help="Only this metric; may be repeated.")
@click.option("--since", type=DAY, help="Only commits and runs of this day on.")
@click.option("--until", type=DAY, help="Only commits and runs of this day, and earlier.")
@meta_option
@click.option(
    "--limit", type=click.IntRange(min=1), default=300, help="The newest N commits; default 300."
)
@click.option(
    "--runs",
    "most_runs",
    type=click.IntRange(min=0),
    default=10,
    help="The newest N stored runs of this branch stand beside; default 10.",
)
@click.option(
    "--format",
    "history_format",
    type=click.Choice(["console", "json", "mermaid", "html", "badge"]),
    default="console",
    help="mermaid: a chart a metric; html: a page; badge: a picture of the last verdict.",
)
@file_option
def command(
    *,
    config: Path | None,
    metrics: tuple[str, ...],
    since: datetime.datetime | None,
    until: datetime.datetime | None,
    meta: tuple[str, ...],
    limit: int,
    most_runs: int,
    history_format: str,
    output: Path | None,
) -> int:
    """Show every metric of the committed baseline over the commits of this branch.

    Reads git and the stored runs: no server, no run, no verdict.
    \f

    For each metric: a sparkline, the newest mean, its change over these commits and over the last
    30 days, and the newest commits that moved it. Below stands what else changed (golden set,
    judge, version of a metric, accepted drops, number of samples), and the runs of commits of this
    branch that are stored here.

    ```bash
    ragate history --since 2026-10-01
    ragate history --metric pass_rate --meta client=internal --runs 30
    ragate history --metric "ndcg@10" --format mermaid >> "$GITHUB_STEP_SUMMARY"
    ragate history --format html --output history.html
    ragate history --format badge --output ragate.svg
    ```

    - Where version or settings of a metric differ, or the judge of a judged one, a move reads
      `anew`, and the change counts from there: figures of two yardsticks are never subtracted.
    - A merge counts as one commit, by its first parent. A commit whose file is removed, broken or
      no baseline is named, and the others count. A shallow clone knows only its own commits:
      `fetch-depth: 0` in a job. Of a partial clone nothing is fetched.
    - `pass_rate` and `overall_score` are those of today's scorecard, of old commits too: another
      mark moves nothing.
    - Means are over samples, each with the mean of its passes. Questions that were added or removed
      move them too: see the mark. Nothing is tested here; proof is what `check` and `compare` give.
    - `html` is one file without a script, which works offline. `badge` (SVG) names the gate and the
      verdict of the newest judged run of the whole golden set at a commit of this branch with no
      file that differs from it; else it reads `not measured`.
    """
    from ragate.contrib.history.read_history import read_history
    from ragate.stores.local import open_store

    loaded, operations = open_config(config)
    history = read_history(
        loaded,
        most=limit,
        wanted=run_filter(since=since, until=until, meta=meta),
        store=open_store(operations),
        most_runs=most_runs,
    )
    _check_names(history, metrics)
    put_out(_views()[history_format](history, metrics), output)
    return 0


def _views() -> dict[str, Callable[[History, Sequence[str]], str]]:
    from ragate.contrib.history.history_page import as_page
    from ragate.contrib.history.show_history import as_json, as_mermaid, as_text, badge

    return {
        "console": as_text,
        "json": as_json,
        "mermaid": as_mermaid,
        "html": as_page,
        "badge": lambda history, _: badge(history.gate, history.verdict),
    }


def _check_names(history: History, metrics: Sequence[str]) -> None:
    from ragate.contrib.history.read_history import metric_names

    held = metric_names(history)
    for name in metrics:
        if name not in held:
            raise UsageError(
                f"--metric {name!r}: no commit holds it{nearest(name, held)}",
                remedy="without --metric every metric is shown",
            )
