"""``ragate index``: the built-in RAG's index as a file, and how much its graph finds."""

import asyncio
from pathlib import Path
from statistics import fmean

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option


@click.group("index")
def command() -> None:
    """Dump or restore the built-in RAG's index, or measure its approximate search."""


@command.command("dump")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@config_option
def dump(*, file: Path, config: Path | None) -> int:
    """Write documents, chunks and vectors to FILE, compressed and checksummed."""
    from ragate.pipeline.index_file import dump_index

    content = asyncio.run(dump_index(*open_config(config), file))
    size = file.stat().st_size / 1024**2
    click.echo(
        f"{len(content.documents)} documents, {len(content.chunks)} chunks and "
        f"{len(content.vectors)} vectors written to {file}, {size:.1f} MiB"
    )
    return 0


@command.command("restore")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@config_option
def restore(*, file: Path, config: Path | None) -> int:
    """Make the index from FILE; what changed in the corpus since is ingested by the next run."""
    from ragate.pipeline.index_file import restore_index

    restored = asyncio.run(restore_index(*open_config(config), file))
    click.echo(f"{restored.documents} documents and {restored.chunks} chunks restored from {file}")
    if restored.other:
        click.echo(f"{restored.other} documents differ from the corpus; the next run ingests them")
    return 0


@command.command("recall")
@click.option("--k", default=10, show_default=True, type=click.IntRange(1, 1000))
@config_option
def recall(*, k: int, config: Path | None) -> int:
    """Say how much of exact search the HNSW graph finds, on the questions of the golden set."""
    from ragate.dataset import read_dataset
    from ragate.pipeline.index_file import graph_recall

    loaded, operations = open_config(config)
    samples = read_dataset(loaded.dataset)
    shares = asyncio.run(graph_recall(loaded, operations, samples, k=k))
    click.echo(
        f"recall@{k} of the graph against exact search: {fmean(shares):.3f} on {len(shares)} "
        f"questions, {min(shares):.3f} at worst"
    )
    return 0
