"""A service over HTTP as the system under test: ``use = "http"``; see docs/system-http.md."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ragate.protocols import Resources, Traits
from ragate.settings import read_settings
from ragate.systems.http.settings import Settings

if TYPE_CHECKING:
    from ragate.systems.http.system import HttpSystem

__all__ = ["TRAITS", "Settings", "create"]
TRAITS = Traits(
    runs_code=False,
    code_keys=("start", "prepare.command"),
    id_remedy="let `ids` of [system.pointers] point at the field that holds it",
    retrieval_remedy="let `contexts` and `ids` of [system.pointers] point at what was retrieved",
)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[HttpSystem]:
    """Yield the system; connections and a service that was started end with it.

    Raises:
        ConfigError: a key is wrong, or the policy does not allow the host or a variable.
        ProviderError: a variable for a header is not set.
    """
    from ragate.systems.http.system import HttpSystem

    system = HttpSystem(read_settings(Settings, settings, where="[system]"), resources)
    try:
        yield system
    finally:
        await system.close()
