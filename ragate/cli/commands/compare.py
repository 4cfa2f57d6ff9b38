"""``ragate compare``: two stored runs or baselines against each other."""

from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option, output_options, show, targets, verbose_option


@click.command("compare")
@click.argument("a")
@click.argument("b")
@config_option
@output_options
@verbose_option
def command(
    *,
    a: str,
    b: str,
    config: Path | None,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    verbose: bool,
) -> int:
    """Compare run B with run A, by the rules of ragate.toml.

    A and B are ids of runs, their folders, `latest`, or baseline files. Runs nothing.
    \f

    The baseline is not touched: so two settings are tried against each other. Ends with the code of
    the verdict that it shows.
    """
    from ragate.pipeline.compare_stored import compare_stored

    destinations = targets(formats, outputs)
    loaded, operations = open_config(config)
    return show(compare_stored(loaded, operations, a, b), destinations, verbose=verbose)
