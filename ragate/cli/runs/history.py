"""``ragate history``: how the main branch moved, from the baselines in git."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import UsageError
from ragate.support.settings import nearest


@click.command("history")
@config_option
@click.option("--metric", "metrics", multiple=True, help="Only this metric; may be repeated.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only commits of this day on.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=300, help="The newest N commits; default 300."
)
@click.option(
    "--format",
    "history_format",
    type=click.Choice(["console", "json", "mermaid"]),
    default="console",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file; without it, standard output.",
)
def command(
    *,
    config: Path | None,
    metrics: tuple[str, ...],
    since: datetime.datetime | None,
    limit: int,
    history_format: str,
    output: Path | None,
) -> int:
    """Show every metric of the committed baseline over the commits of this branch.

    Reads git and nothing else: no server, no run, no verdict.
    """
    from ragate.pipeline.history.read_history import metric_names, read_history
    from ragate.pipeline.history.show_history import as_json, as_mermaid, as_text
    from ragate.support.atomic_files import write_atomic

    loaded, _ = open_config(config)
    history = read_history(loaded, most=limit, since=f"{since:%Y-%m-%d}" if since else "")
    held = metric_names(history)
    for name in metrics:
        if name not in held:
            raise UsageError(
                f"--metric {name!r}: no commit holds it{nearest(name, held)}",
                remedy=f"held are: {', '.join(held) or 'none'}",
            )
    views = {"console": as_text, "json": as_json, "mermaid": as_mermaid}
    text = views[history_format](history, metrics)
    if output is None:
        click.echo(text)
    else:
        write_atomic(output, f"{text}\n".encode())
    return 0
