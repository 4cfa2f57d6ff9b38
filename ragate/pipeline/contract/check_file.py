"""The contract of a plugin in one file, whatever its kind."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragate.errors import PluginError
from ragate.pipeline.contract.asked_contract import asked_demands
from ragate.pipeline.contract.finding import Demand
from ragate.pipeline.contract.metric_contract import metric_demands
from ragate.plugins import load_file, takes_request


def check_file(
    path: Path, settings: Mapping[str, Any] | None = None, *, question: str = ""
) -> list[Demand]:
    """Return each demand of the contract of a metric, system or judge, with what broke it.

    Args:
        settings: The plugin's own keys.
        question: What a system is asked.

    Raises:
        PluginError: the file cannot be imported, or defines no plugin.
    """
    path = path.absolute()
    module = load_file(path)
    if takes_request(module, path):
        return list(metric_demands(module, path, settings or {}))
    return asyncio.run(_all(module, path, settings or {}, question))


def check_plugin(file: str | Path, *, settings: Mapping[str, Any] | None = None) -> None:
    """Check that a metric, judge or system in one file keeps to its contract; its code runs.

    Args:
        file: The file, such as ``__file__`` in a test that stands in it.
        settings: The plugin's own keys.

    Raises:
        PluginError: it cannot be imported, or breaks a demand; each is a line of the message.
    """
    demands = check_file(Path(file), settings)
    broken = [f"{demand.text}: {demand.broken}" for demand in demands if demand.broken]
    if broken:
        lines = "\n".join(broken)
        raise PluginError(
            f"{file} does not keep to its contract\n{lines}", remedy="docs/plugins.md says it"
        )


async def _all(module: Any, path: Path, settings: Mapping[str, Any], question: str) -> list[Demand]:
    demands = asked_demands(module, path, settings, question=question)
    return [demand async for demand in demands]
