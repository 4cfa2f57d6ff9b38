"""``ragate index``: the built-in RAG's index as a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.operations import open_config
from ragate.cli.options import EXISTING_FILE, FILE, config_option
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.runtime.operations import Operations
    from ragate.systems.pgvector.system import PgvectorSystem

T = TypeVar("T")


@click.group("index")
def command() -> None:
    """Dump or restore the built-in RAG's index."""


@command.command("dump")
@click.argument("file", type=FILE)
@config_option
def dump(*, file: Path, config: Path | None) -> int:
    """Write documents, chunks and vectors to FILE, compressed and checksummed.
    \f

    The same corpus with the same settings and vectors gives the same bytes.
    """
    from ragate.contrib.transfer import transfer

    content = _with_index(*open_config(config), partial(transfer.dump, path=file))
    size = file.stat().st_size / 1024**2
    click.echo(
        f"{len(content.documents)} documents, {len(content.chunks)} chunks and "
        f"{len(content.vectors)} vectors written to {file}, {size:.1f} MiB"
    )
    return 0


@command.command("restore")
@click.argument("file", type=EXISTING_FILE)
@config_option
def restore(*, file: Path, config: Path | None) -> int:
    """Make the index from FILE; what changed in the corpus since is ingested by the next run.
    \f

    All or nothing. BM25 weights and an HNSW graph are computed anew; nothing is embedded. Before
    anything is written it checks

    | what | otherwise |
    | --- | --- |
    | the checksum, the counts, the ids, finite numbers, the version of the format | exit code 3 |
    | that the file was made with the same embedder, chunking, words, metadata and index keys | 2 |
    | at least one document with the same id and content | exit code 2: another corpus |

    A stranger's file can hold wrong vectors: restore what your own main branch wrote. What unpacks
    to more than 8 GiB, or to a line of more than 64 MiB, is refused.
    """
    from ragate.contrib.transfer import transfer

    restored = _with_index(*open_config(config), partial(transfer.restore, path=file))
    click.echo(f"{restored.documents} documents and {restored.chunks} chunks restored from {file}")
    if restored.other:
        click.echo(f"{restored.other} documents differ from the corpus; the next run ingests them")
    return 0


def _with_index(
    config: Config,
    operations: Operations,
    act: Callable[[PgvectorSystem], Coroutine[Any, Any, T]],
) -> T:
    """Return what `act` does with the index of the built-in RAG."""
    from ragate import plugins
    from ragate.runtime.resources import open_resources

    if config.system.use != "pgvector":
        raise UsageError(
            f"[system] use = {config.system.use!r} has no index of ours",
            remedy='the commands of `ragate index` are for use = "pgvector"',
        )

    async def opened() -> T:
        module = plugins.load("systems", "pgvector")
        async with (
            open_resources(config, operations) as resources,
            module.create(config.system.settings, resources.system) as system,
        ):
            return await act(system)

    return asyncio.run(opened())
