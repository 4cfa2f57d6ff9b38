"""``ragate index``: the built-in RAG's index as a file."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.operations import open_config
from ragate.cli.options import FILE, config_option
from ragate.cli.streams import file_or_stdout, run_aside
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.resources.operations import Operations
    from ragate.systems.pgvector.system import PgvectorSystem

T = TypeVar("T")


@click.group("index")
def command() -> None:
    """Dump or restore the built-in RAG's index."""


@command.command("dump")
@click.argument("file", type=FILE)
@click.option(
    "--tables",
    type=click.Choice(["all", "texts"]),
    default="all",
    help="`texts`: without vectors, which whoever restores it makes by an embedder of their own.",
)
@config_option
def dump(*, file: Path, tables: str, config: Path | None) -> int:
    """Write documents, chunks and vectors to FILE, compressed and checksummed.
    \f

    The same corpus with the same settings and vectors gives the same bytes. `-` is standard output:
    the bytes go there and nothing else does, for any program that carries them. Where that program
    ends too early the exit code is 3.
    """
    from ragate.contrib.transfer import streams, transfer
    from ragate.files.atomic_files import write_atomic

    to_stdout = file_or_stdout(file) is None
    if to_stdout:
        streams.refuse_terminal_output()
    act = partial(transfer.dump, texts=tables == "texts")
    content, data = _with_index(*open_config(config), act)
    if to_stdout:
        streams.write_output(data)
    else:
        write_atomic(file, data)
    written = "standard output" if to_stdout else str(file)
    click.echo(
        f"{len(content.documents)} documents, {len(content.chunks)} chunks and "
        f"{len(content.vectors)} vectors written to {written}, {len(data) / 1024**2:.1f} MiB",
        err=to_stdout,
    )
    return 0


@command.command("restore")
@click.argument(
    "file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
)
@config_option
def restore(*, file: Path, config: Path | None) -> int:
    """Make the index from FILE; what changed in the corpus since is ingested by the next run.
    \f

    `-` is standard input. All or nothing: of a stream that breaks off nothing is taken, and the
    index is as it was. BM25 weights and an HNSW graph are computed anew; nothing is embedded, but
    the texts of a file that was dumped without vectors. Before anything is written it checks

    | what | otherwise |
    | --- | --- |
    | the checksum, the counts, the ids, finite numbers, the version of the format | exit code 3 |
    | that the file was made with the same embedder, chunking, words, metadata and index keys | 2 |
    | at least one document with the same id and content | exit code 2: another corpus |

    A stranger's file can hold wrong vectors: restore what your own main branch wrote. What unpacks
    to more than 8 GiB, or to a line of more than 64 MiB, is refused.
    """
    from ragate.contrib.transfer import streams, transfer
    from ragate.contrib.transfer.index_file import unpack

    from_stdin = file in streams.STANDARD_INPUT
    read = streams.read_input if from_stdin else partial(unpack, file)
    where = "standard input" if from_stdin else str(file)
    act = partial(transfer.restore, read=read, where=where)
    restored = _with_index(*open_config(config), act)
    click.echo(f"{restored.documents} documents and {restored.chunks} chunks restored from {where}")
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
    from ragate.resources.resources import open_resources

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

    return run_aside(opened())
