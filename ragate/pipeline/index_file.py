"""The index of the built-in RAG as a thing of its own: measured, written to a file, restored."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragate import plugins
from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Sample
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources

if TYPE_CHECKING:
    from ragate.systems.pgvector.index_file import Content
    from ragate.systems.pgvector.system import PgvectorSystem
    from ragate.systems.pgvector.transfer import Restored


@asynccontextmanager
async def _opened(config: Config, operations: Operations) -> AsyncIterator[PgvectorSystem]:
    if config.system.use != "pgvector":
        raise UsageError(
            f"[system] use = {config.system.use!r} has no index of ours",
            remedy='the commands of `ragate index` are for use = "pgvector"',
        )
    async with open_resources(config, operations) as opened:
        module = plugins.load("systems", "pgvector")
        async with module.create(config.system.settings, opened.system) as system:
            yield system


async def dump_index(config: Config, operations: Operations, path: Path) -> Content:
    """Write the index, brought up to date, to a file; return what is in it."""
    from ragate.systems.pgvector.transfer import dump

    async with _opened(config, operations) as system:
        return await dump(system, path)


async def restore_index(config: Config, operations: Operations, path: Path) -> Restored:
    """Make the index from a file."""
    from ragate.systems.pgvector.transfer import restore

    async with _opened(config, operations) as system:
        return await restore(system, path)


async def graph_recall(
    config: Config, operations: Operations, samples: Sequence[Sample], *, k: int
) -> list[float]:
    """Return, by question, the share of the k nearest chunks that the HNSW graph finds."""
    from ragate.systems.pgvector.transfer import recall

    async with _opened(config, operations) as system:
        return await recall(system, samples, k=k)
