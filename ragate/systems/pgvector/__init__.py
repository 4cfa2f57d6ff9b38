"""The built-in RAG on Postgres with pgvector: ``use = "pgvector"``; see docs/system-pgvector.md."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.models import SystemInfo
from ragate.protocols import Resources, Traits
from ragate.settings import read_settings
from ragate.systems.pgvector.settings import Settings

if TYPE_CHECKING:
    from ragate.systems.pgvector.system import PgvectorSystem

__all__ = ["TRAITS", "Settings", "create", "document_texts", "identify"]
TRAITS = Traits(
    runs_code=False,
    counted=True,
    needs_database=True,
    id_remedy="the id is the path below the folder of [system] corpus",
)


async def identify(settings: Mapping[str, Any], resources: Resources) -> SystemInfo:
    """Return what `create` and `prepare` would find, without a database.

    Raises:
        ConfigError: a key of ``[system]`` is unknown or wrong.
    """
    from ragate.systems.pgvector.system import PgvectorSystem

    system = PgvectorSystem(read_settings(Settings, settings, where="[system]"), resources)
    system.read()
    return system.info


@asynccontextmanager
async def create(
    settings: Mapping[str, Any], resources: Resources
) -> AsyncIterator[PgvectorSystem]:
    """Yield the system; its connection is closed at the end.

    Raises:
        ConfigError: a key of ``[system]`` is unknown or wrong.
    """
    from ragate.systems.pgvector.system import PgvectorSystem

    system = PgvectorSystem(read_settings(Settings, settings, where="[system]"), resources)
    try:
        yield system
    finally:
        await system.snapshot.close()


def document_texts(settings: Mapping[str, Any], root: Path) -> dict[str, str]:
    """Return the text of each document that can be retrieved, by id; needs no database.

    Raises:
        ConfigError: a key of ``[system]`` is wrong, or the corpus cannot be read.
    """
    from ragate.systems.pgvector.corpus import read_texts

    return read_texts(root, read_settings(Settings, settings, where="[system]").corpus)
