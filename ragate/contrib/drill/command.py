"""``ragate drill``: can this gate fail?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config
from ragate.cli.options import EXISTING_FILE, config_option, json_option

if TYPE_CHECKING:
    from ragate.contrib.drill.breaks import Drill


@click.command("drill")
@click.argument("files", nargs=-1, type=EXISTING_FILE)
@config_option
@click.option("--seed", type=int, default=0, help="Break other samples.")
@json_option
def command(*, files: tuple[Path, ...], config: Path | None, seed: int, as_json: bool) -> int:
    """Plant breaks in stored outputs and show which of them the gate catches.

    FILES are outputs of `collect` or --save-outputs; default: the newest run's. Runs nothing of
    the RAG and makes no model call. Exits with 0 when at least one break was caught, else with 1:
    a gate that cannot fail is no gate.
    \f

    What it breaks, and how to read its table: [Drill](decision.md).
    """
    from ragate.contrib.drill.stored_outputs import run_drill

    loaded, operations = open_config(config)
    drill = run_drill(loaded, operations, files, seed=seed)
    click.echo(drill.model_dump_json(indent=2) if as_json else _table(drill))
    return 0 if drill.caught else 1


def _table(drill: Drill) -> str:
    from ragate.renderers._lines import wrapped

    lines = [f"{'break':<20} {'broken':>13}  result"]
    for row in drill.rows:
        broken = f"{row.planted} of {drill.samples}"
        result = f"caught by {', '.join(row.by)}" if row.caught else f"not caught: {row.why_not}"
        start = f"{row.name:<20} {broken:>13}  "
        lines += wrapped(result, first=start, rest=" " * len(start))
    lines += wrapped(
        f"{drill.caught} of {len(drill.rows)} breaks caught, each at the smallest share shown; "
        f"without a break the gate says: {drill.clean.words}"
    )
    return "\n".join(lines)
