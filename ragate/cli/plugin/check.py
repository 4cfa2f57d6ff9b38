"""``ragate plugin check``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--settings",
    metavar="TOML",
    default="",
    help="The plugin's own keys, as they stand in its table: 'words = [\"please\"]'.",
)
@click.option("--question", default="", help="What a system is asked; default: a question of ours.")
def command(*, file: Path, settings: str, question: str) -> int:
    """Run the contract of a metric, judge or system over FILE, whose code runs.

    A metric is scored on outputs of every kind, a system is asked one question twice, a judge
    judges one answer, in a process of its own. Exits with 0 where every demand is kept, with 2
    else, and where the code ends its process.
    """
    from ragate.cli.finding import plural
    from ragate.pipeline.contract.apart import check_apart
    from ragate.support.escape import one_line

    _refuse_no_table(settings)
    demands = check_apart(file, settings, question=question)
    for demand in demands:
        click.echo(f"{'no' if demand.broken else 'ok':4}{demand.text}")
        if demand.broken:
            click.echo(f"      {one_line(demand.broken)}")
    broken = sum(bool(demand.broken) for demand in demands)
    if broken:
        click.echo(f"{plural(broken, 'demand')} of {len(demands)} not kept: docs/plugins.md")
    else:
        click.echo(f"All {len(demands)} demands are kept.")
    return 2 if broken else 0


def _refuse_no_table(text: str) -> None:
    import tomllib

    from ragate.errors import UsageError

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"--settings {text!r} is no TOML: {error}", remedy="write it as --settings 'key = 3'"
        ) from error
