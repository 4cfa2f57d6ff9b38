"""``ragate dataset diff``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.dataset.shared import one_line
from ragate.cli.options import json_option

if TYPE_CHECKING:
    from ragate.dataset.checks.diff import SampleChange, SetDiff

_PATH = click.Path(path_type=Path, exists=True)
_SHOWN = 50


@click.command("diff")
@click.argument("before", type=_PATH, metavar="A")
@click.argument("after", type=_PATH, metavar="B")
@json_option
def command(*, before: Path, after: Path, as_json: bool) -> int:
    """Compare golden set A with golden set B: samples added, removed, renamed and edited.

    Says for each edited sample whether its old scores still count. Exits with 0, different or not.
    \f

    Renamed is the same content under another id. Edited samples are shown field by field and
    expected document by document.
    """
    from ragate.dataset import read_entries
    from ragate.dataset.checks.diff import diff

    set_diff = diff(read_entries(before), read_entries(after))
    click.echo(json.dumps(asdict(set_diff), indent=2) if as_json else "\n".join(_lines(set_diff)))
    return 0


def _lines(set_diff: SetDiff) -> Iterator[str]:
    yield (
        f"{len(set_diff.added)} added, {len(set_diff.removed)} removed, "
        f"{len(set_diff.renamed)} renamed, {len(set_diff.edited)} edited, "
        f"{set_diff.unchanged} unchanged"
    )
    yield from _ids("+", set_diff.added)
    yield from _ids("-", set_diff.removed)
    yield from _ids(">", [f"{old} -> {new}" for old, new in set_diff.renamed.items()])
    for change in set_diff.edited[:_SHOWN]:
        yield from _edited(change)
    if len(set_diff.edited) > _SHOWN:
        yield f"~ and {len(set_diff.edited) - _SHOWN} more; --json lists all"


def _ids(sign: str, ids: Sequence[str]) -> Iterator[str]:
    yield from (f"{sign} {one_line(name, 200)}" for name in ids[:_SHOWN])
    if len(ids) > _SHOWN:
        yield f"{sign} and {len(ids) - _SHOWN} more; --json lists all"


def _edited(change: SampleChange) -> Iterator[str]:
    counts = "old scores no longer count" if change.rescored else "old scores still count"
    yield f"~ {one_line(change.sample_id, 200)} ({counts})"
    for field_change in change.changes:
        if field_change.field == "relevant":
            labels = "; ".join(f"{kind} {', '.join(docs)}" for kind, docs in change.labels.items())
            yield f"    expected documents: {one_line(labels, 400)}"
        else:
            before, after = _shown(field_change.before), _shown(field_change.after)
            yield f"    {field_change.field}: {before} -> {after}"


def _shown(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 150)
