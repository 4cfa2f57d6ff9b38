"""``ragate gate``: two files of scores against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import in_ci, open_config, progress_shown
from ragate.cli.options import output_options, verbose_option
from ragate.cli.put_out import show, targets
from ragate.errors import UsageError
from ragate.files.foreign_files import open_file

if TYPE_CHECKING:
    from ragate.gate.gate_files import Demands
    from ragate.models import Report
    from ragate.models.progress import Progress

SIDE = click.Path(path_type=Path, exists=True)


@click.command("gate")
@click.argument("before", type=SIDE, required=False)
@click.argument("after", type=SIDE, required=False)
@click.option(
    "--before", "befores", type=SIDE, multiple=True, help="One run of the base version; repeated."
)
@click.option(
    "--after", "afters", type=SIDE, multiple=True, help="One run of the change; repeated."
)
@click.option(
    "--reader",
    default="",
    metavar="NAME",
    help="Who wrote the files, where their content does not show it.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Only this metric; may be repeated. Without it all, twenty at most.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Only samples with this tag: a category, or of promptfoo a prompt or a provider; "
    "repeated: with all of them.",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(min=0),
    help="Smallest proven drop that fails, in the metric's unit; 0.01 of its range without it.",
)
@click.option(
    "--lower-is-better", multiple=True, metavar="NAME", help="Of this metric lower is better."
)
@click.option(
    "--higher-is-better", multiple=True, metavar="NAME", help="Of this metric higher is better."
)
@click.option(
    "--minimum",
    "minimums",
    multiple=True,
    metavar="NAME=X",
    help="Worst mean of the change that passes; a maximum where lower is better.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Judge by the policy of this ragate.toml; without it none is read.",
)
@output_options
@verbose_option
def command(
    *,
    before: Path | None,
    after: Path | None,
    befores: tuple[Path, ...],
    afters: tuple[Path, ...],
    reader: str,
    metrics: tuple[str, ...],
    tags: tuple[str, ...],
    max_drop: float | None,
    lower_is_better: tuple[str, ...],
    higher_is_better: tuple[str, ...],
    minimums: tuple[str, ...],
    config: Path | None,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    verbose: bool,
) -> int:
    """Compare the scores of an evaluator on a change with those on its base.

    BEFORE and AFTER are files, or folders of files, that the same evaluator wrote. Nothing else is
    read, and nothing is asked.
    \f

    ```bash
    ragate gate main/results.json results.json
    ragate gate before.csv after.csv --metric faithfulness --minimum faithfulness=0.8
    ragate gate before.json after.json --tag provider:openai:gpt-5 --tag prompt:0
    ragate gate --before a.json --before b.json --after c.json --after d.json
    ```

    Which files are read, and what a verdict on them means: [Scores](scores.md).
    """
    from ragate.gate.gate_files import gate_files

    destinations = targets(formats, outputs)
    old, new = _sides(before, after, befores, afters)
    if config is not None:
        given = (reader, metrics, tags, max_drop, lower_is_better, higher_is_better, minimums)
        report = _by_policy(config, old, new, other=any(given))
        return show(report, destinations, verbose=verbose)
    asked = _asked(metrics, max_drop, lower_is_better, higher_is_better, minimums)
    asked = replace(asked, tags=tags)
    reading = _Reading({"before": old, "after": new})
    report = gate_files(old, new, asked, reader=reader, progress=reading)
    return show(report, destinations, verbose=verbose)


def _by_policy(config: Path, old: Sequence[Path], new: Sequence[Path], *, other: bool) -> Report:
    """Return what `ragate compare` says of two files."""
    from ragate.runs.compare_stored import compare_stored

    if other or len(old) > 1 or len(new) > 1:
        raise UsageError(
            "--config: its policy says all that the other options say, of one file a side",
            remedy="leave them out, or leave out --config",
        )
    loaded, operations = open_config(config)
    if not loaded.policy.of_scores:
        raise UsageError(
            f"{config}: its system is {loaded.system.use!r}, whose outputs hold no scores",
            remedy="`ragate decide` judges files of outputs",
        )
    return compare_stored(loaded, operations, str(old[0]), str(new[0]))


def _sides(
    before: Path | None, after: Path | None, befores: Sequence[Path], afters: Sequence[Path]
) -> tuple[list[Path], list[Path]]:
    given = before is not None and after is not None
    named = bool(befores) and bool(afters)
    if given == named or (before is None) != (after is None) or bool(befores) != bool(afters):
        raise UsageError(
            "two sides are compared, and each is given once",
            remedy="ragate gate BEFORE AFTER, or for several runs --before A --before B --after C",
        )
    if before is not None and after is not None:
        return [before], [after]
    return list(befores), list(afters)


def _asked(
    metrics: Sequence[str],
    max_drop: float | None,
    lower: Sequence[str],
    higher: Sequence[str],
    minimums: Sequence[str],
) -> Demands:
    from ragate.gate.gate_files import Demands
    from ragate.models import Direction
    from ragate.scores.measured import Said

    if both := sorted(set(lower) & set(higher)):
        raise UsageError(f"{both[0]!r}: either higher is better, or lower")
    directions = dict.fromkeys(higher, Direction.HIGHER) | dict.fromkeys(lower, Direction.LOWER)
    limits = dict(_limit(each) for each in minimums)
    return Demands(Said(tuple(metrics), directions), max_drop, limits)


def _limit(given: str) -> tuple[str, float]:
    name, equals, value = given.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not equals or not name or not -1e300 < limit < 1e300:
        raise UsageError(f"--minimum {given!r}: must be a name and a number: faithfulness=0.8")
    return name, limit


class _Reading:
    """Shows how far large files are read: a bar on a terminal, a line a quarter in a log.

    How many rows there are is not known before: no more than lines, where each row has one.
    """

    def __init__(self, sides: Mapping[str, Sequence[Path]]) -> None:
        self._sides = sides
        self._lines: dict[str, int] = {}

    @cached_property
    def _show(self) -> Callable[[Progress], None]:
        return progress_shown(quiet=in_ci())

    def __call__(self, side: str, rows: int, ended: bool) -> None:
        from ragate.models.progress import Progress

        if side not in self._lines:
            if ended:
                return  # it was read before there was anything to show
            self._lines[side] = sum(map(_lines_of, self._sides[side]))
        total = rows if ended else max(self._lines[side], rows + 1)
        self._show(Progress(f"reading {side}", rows, total, noun="rows"))
        if side == "after" and ended:
            click.echo("comparing", err=True)


def _lines_of(path: Path) -> int:
    """Return how many lines a file has; 0 for what the reader will refuse, and for a folder."""
    try:
        file = open_file(path)
    except OSError:
        return 0
    with file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
