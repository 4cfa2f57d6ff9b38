"""Calls carried out by a function of the project."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate.config.model import Execution
from ragate.errors import ConfigError
from ragate.executors.executor import open_function
from ragate.models import CallResult, ToolCall
from tests.unit.systems.using import resources_of

MODULE = """\
import asyncio
def run(name, arguments):
    if name == "add":
        return sum(arguments["of"])
    if name == "down":
        raise ConnectionRefusedError("no one there")
    if name == "odd":
        return object()
    if name == "nan":
        return float("nan")
    if name == "deep":
        deep = []
        for _ in range(500):
            deep = [deep]
        return deep
    if name == "half":
        return "\\ud800"
    raise LookupError(f"no tool {name}")
async def slow(name, arguments):
    await asyncio.sleep(9)
def no_place(name):
    return name
TABLE = {}
"""


def carried_out(
    root: Path,
    name: str,
    *,
    target: str = "run",
    timeout_s: float = 10.0,
    **arguments: Any,
) -> CallResult:
    module = f"tools_of_{root.name.replace('-', '_')}"
    (root / f"{module}.py").write_text(MODULE)
    settings = Execution(target=f"{module}:{target}", timeout_s=timeout_s)

    async def run() -> CallResult:
        async with open_function(settings, resources_of(root)) as execute:
            return await execute(ToolCall(name=name, arguments=arguments))

    return asyncio.run(run())


def test_what_it_returns_is_the_result(tmp_path: Path) -> None:
    assert carried_out(tmp_path, "add", of=[1, 2]) == CallResult(value=3)


@pytest.mark.parametrize(
    ("name", "told", "unreachable"),
    [
        ("sell", "LookupError: no tool sell", False),
        ("down", "ConnectionRefusedError", True),
        ("odd", "Object of type object", False),
        ("nan", "Out of range", False),
        ("deep", "more than 100 levels", False),
        ("half", "half of a character", False),
    ],
)
def test_what_goes_wrong_is_its_result(
    tmp_path: Path,
    name: str,
    told: str,
    *,
    unreachable: bool,
) -> None:
    result = carried_out(tmp_path, name)

    assert told in result.error
    assert result.unreachable is unreachable


def test_a_call_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    result = carried_out(tmp_path, "add", target="slow", timeout_s=0.05)

    assert result == CallResult(error="no result within 0.05 s", unreachable=True)


@pytest.mark.parametrize("target", ["no_place", "TABLE", "nothing"])
def test_a_target_that_cannot_be_called_so_is_told(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError, match=r"\[policy.execution\] target"):
        carried_out(tmp_path, "add", target=target)
