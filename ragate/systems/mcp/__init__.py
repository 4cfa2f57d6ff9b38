"""A tool of an MCP server as the system under test: ``use = "mcp"``; see docs/system-command.md."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ragate.errors import PluginError
from ragate.installed import install_line
from ragate.protocols import Resources, Traits
from ragate.settings import read_settings
from ragate.systems.mcp.settings import Settings

if TYPE_CHECKING:
    from ragate.systems.mcp.system import McpSystem

__all__ = ["TRAITS", "Settings", "create"]
TRAITS = Traits(
    runs_code=False,
    code_keys=("command", "prepare.command"),
    id_remedy="let `ids` of [system.pointers] point at the field that holds it",
    retrieval_remedy="let `contexts` and `ids` of [system.pointers] point at what was retrieved",
)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[McpSystem]:
    """Yield the system; the connection, and a server that was started, end with it.

    Raises:
        ConfigError: a key is wrong, or the policy does not allow the host or a variable.
        PluginError: the library is not installed.
        ProviderError: a variable for a header is not set.
    """
    keys = read_settings(Settings, settings, where="[system]")
    try:
        from ragate.systems.mcp.system import McpSystem
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types", "httpx2"}:
            raise
        raise PluginError(
            '[system] use = "mcp" needs a library: mcp, version 2 or newer, is not installed',
            remedy=install_line("mcp"),
        ) from error

    system = McpSystem(keys, resources)
    try:
        yield system
    finally:
        await system.close()
