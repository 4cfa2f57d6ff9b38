"""``ragate check``: run the RAG and give a verdict."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from ragate.cli.control import load_control
from ragate.cli.operations import open_config
from ragate.cli.options import run_options, selection, show, targets


@click.command("check")
@run_options
@click.option("--runs", type=click.IntRange(1, 50), default=1, help="Passes over the samples.")
@click.option(
    "--control",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Outputs of the base version, collected today: tells drift from the change.",
)
def command(
    *,
    config: Path | None,
    tags: tuple[str, ...],
    ids: tuple[str, ...],
    limit: int | None,
    top_k: int | None,
    retrieval_only: bool,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    save_outputs: Path | None,
    runs: int,
    control: Path | None,
) -> int:
    """Run the RAG on the golden set, compare with the baseline, and give a verdict.

    A suspicious result is run again before it is called a regression.
    """
    from ragate.pipeline.line import check

    wanted = targets(formats, outputs)
    loaded, operations = open_config(config)
    chosen = selection(
        tags=tags,
        ids=ids,
        limit=limit,
        top_k=top_k,
        retrieval_only=retrieval_only,
        runs=runs,
    )
    report = asyncio.run(
        check(
            loaded,
            operations,
            chosen,
            control=load_control(loaded, operations, control),
            save_outputs=save_outputs,
        )
    )
    return show(report, wanted)
