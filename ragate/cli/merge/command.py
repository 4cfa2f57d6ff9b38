"""``ragate baseline merge``: the merge driver that git calls, and its installation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import say
from ragate.cli.options import config_option
from ragate.core.text.listed_names import listed
from ragate.errors import UsageError
from ragate.support.escape import one_line

if TYPE_CHECKING:
    from ragate.baseline import MergedBaseline
    from ragate.models import Merged

MOST_NAMED = 20


@click.command("merge")
@click.argument("files", nargs=-1, metavar="[BEFORE OURS THEIRS [NAME]]")
@config_option
@click.option("--install", is_flag=True, help="Let git call this for the baseline, in this clone.")
def merge(*, files: tuple[str, ...], config: Path | None, install: bool) -> int:
    """Merge two baselines that were recorded from one; git calls this in a merge.

    Sample by sample: what one side changed is taken, what both changed is taken from neither and
    named. OURS is overwritten. The files are parsed and nothing else: no configuration, no plugin.
    """
    if install:
        from ragate.cli.merge.install import install_driver

        if files:
            raise UsageError("--install takes no files", remedy="git names them when it merges")
        for line in install_driver(Path.cwd(), named=config):
            click.echo(line)
        return 0
    if config is not None:
        raise UsageError("--config is for --install", remedy="a merge reads no configuration")
    if len(files) not in (3, 4):
        raise UsageError(
            f"{len(files)} files: the baseline of before, ours and theirs are merged",
            remedy="`ragate baseline merge --install` lets git call this",
        )
    _merge(*map(Path, files[:3]), name=files[3] if len(files) == 4 else files[1])
    return 0


def _merge(before: Path, ours: Path, theirs: Path, *, name: str) -> None:
    from ragate.baseline.merge_files import merge_files

    merged = merge_files(before, ours, theirs, name=name)
    for line in _told(merged, name):
        say(line)


def _told(merged: MergedBaseline, name: str) -> Iterator[str]:
    shown = one_line(name)
    counts = f"{merged.ours} of ours and {merged.theirs} of theirs"
    yield f"{shown}: merged: {counts} changed on one side"
    if merged.neither:
        ids = one_line(listed(merged.neither, most=MOST_NAMED))
        yield f"{shown}: changed on both sides, and taken from neither: {ids}"
    if merged.figures:
        yield f"{shown}: of whole runs, and taken from neither: {one_line(listed(merged.figures))}"
    if merged.unmeasured:
        names = one_line(listed(merged.unmeasured))
        yield f"{shown}: not measured on the merged golden set, and left out: {names}"
    yield "  -> record it anew on the merged tree: ragate baseline update"


def merged_lines(merged: Merged | None) -> Iterator[str]:
    """Yield what `baseline show` says of a merge; nothing of a baseline that is one recording."""
    if merged is None:
        return
    for recording in merged.recordings:
        yield f"{'merged of:':<11} {one_line(recording.commit or 'no commit')} {recording.date}"
    if merged.neither:
        yield f"{'neither:':<11} {one_line(listed(merged.neither, most=MOST_NAMED))}"
    if merged.unmeasured:
        yield f"{'unmeasured:':<11} {one_line(listed(merged.unmeasured))}"
