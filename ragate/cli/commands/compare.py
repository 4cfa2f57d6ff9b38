"""``ragate compare``: two stored runs or baselines against each other."""

import datetime
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import DAY, config_option, output_options, run_filter, verbose_option
from ragate.cli.put_out import show, targets


@click.command("compare")
@click.argument("a")
@click.argument("b")
@config_option
@click.option("--since", type=DAY, help="Of runs that are named by a note: of this day on.")
@click.option("--until", type=DAY, help="Of these: of this day, and earlier.")
@output_options
@verbose_option
def command(
    *,
    a: str,
    b: str,
    config: Path | None,
    since: datetime.datetime | None,
    until: datetime.datetime | None,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    verbose: bool,
) -> int:
    """Compare run B with run A, by the rules of ragate.toml.

    A and B are ids of runs, their folders, `latest`, KEY=VALUE as `--meta` noted it (the newest
    such run), or baseline files; where scores are gated, files of them too. Runs nothing. Two
    reports that `--format json` wrote are compared by `ragate gate A.json B.json`.
    \f

    The baseline is not touched: so two settings are tried against each other. Ends with the code of
    the verdict that it shows.

    ```bash
    ragate compare client=internal client=mcp --since 2026-10-01
    ```
    """
    from ragate.runs.compare_stored import compare_stored

    destinations = targets(formats, outputs)
    loaded, operations = open_config(config)
    dates = run_filter(since=since, until=until, gate=loaded.gate)
    report = compare_stored(loaded, operations, a, b, dates=dates)
    return show(report, destinations, verbose=verbose)
