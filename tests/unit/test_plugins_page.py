"""The plugins of docs/plugins.md work as they are printed."""

from __future__ import annotations

import asyncio
import re
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragate import plugin_kit, plugins, protocols
from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.models import Failure, Sample, SystemOutput
from ragate.plugins.make import members_of
from ragate.settings import read_settings

TEXT = (Path(__file__).parents[2] / "docs/plugins.md").read_text(encoding="utf-8")
CODE = {
    block.split(":", 1)[0].strip('"'): block
    for block in re.findall(r"^```python\n(\"\"\".*?)^```", TEXT, re.DOTALL | re.MULTILINE)
}

PUBLIC = {"ragate.models", "ragate.protocols", "ragate.plugin_kit"}
# What ragate hands to plugins, as opposed to what they are.
GIVEN = {"ChatClient", "Database", "Steps"}
CONTRACTS = sorted(
    name
    for name in vars(protocols)
    if getattr(getattr(protocols, name), "_is_protocol", False) and name not in GIVEN
)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> str:
    for name, code in CODE.items():
        module = types.ModuleType(f"mypackage.{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(sys.modules, "mybot", bot_module())
        exec(compile(code, f"docs/plugins.md:{name}", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "mypackage", types.ModuleType("mypackage"))
    return "mypackage"


def bot_module() -> Any:
    class Bot:
        def __init__(self, **_: Any) -> None:
            self.updated = False

        async def __aenter__(self) -> Bot:
            return self

        async def __aexit__(self, *_: object) -> None: ...

        async def update_index(self, *, from_scratch: bool) -> None:
            self.updated = True

        async def ask(self, query: str) -> SimpleNamespace:
            return SimpleNamespace(
                hits=[SimpleNamespace(path="a.md", text="A")], text=query.upper()
            )

    return SimpleNamespace(Bot=Bot)


def test_the_metric_scores_and_reads_its_settings(package: str) -> None:
    name = f"{package}.polite"
    metric: Any = plugins.metric(name, settings={"words": ["please"]})
    sample = Sample(id="q", query="x")
    failed = SystemOutput(error=Failure(kind="provider", message="503"))

    scores = metric.score_samples(
        [(sample, SystemOutput(answer="Yes, please.")), (sample, SystemOutput()), (sample, failed)]
    )

    assert [score.value for score in scores] == [1.0, 0.0, None]
    assert metric.info.fingerprint != plugins.metric(name).info.fingerprint
    with pytest.raises(ConfigError, match="'word'; did you mean 'words'"):
        plugins.metric(name, settings={"word": []})


def test_the_system_answers(package: str) -> None:
    async def ask() -> SystemOutput:
        module = plugins.load("systems", f"{package}.mybot")
        async with module.create({"model": "small"}, SimpleNamespace(top_k=None)) as system:
            await system.prepare()
            output: SystemOutput = await system.answer(Sample(id="q", query="x"))
            return output

    output = asyncio.run(ask())

    assert (output.answer, output.chunks[0].doc_id) == ("X", "a.md")


def test_the_report_renders(package: str) -> None:
    report = SimpleNamespace(gate="docs", decision=SimpleNamespace(verdict="passed"))

    assert plugins.load("renderers", f"{package}.oneline").render(report) == "docs: passed\n"


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_member_of_a_protocol_stands_in_the_page(name: str) -> None:
    for member in members_of(getattr(protocols, name)):
        assert re.search(rf"(?<![A-Za-z_]){member}(?![A-Za-z_])", TEXT), f"{name}.{member}"


@pytest.mark.parametrize("name", CODE)
def test_an_example_imports_nothing_private(name: str) -> None:
    imported = set(re.findall(r"^from (ragate\S*) import|^import (ragate\S*)", CODE[name], re.M))

    assert {left or right for left, right in imported} <= PUBLIC


def test_the_helpers_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"plugin_kit\.(\w+)", TEXT))

    assert named <= set(plugin_kit.__all__)
    assert all(hasattr(plugin_kit, name) for name in plugin_kit.__all__)


def test_where_the_page_had_them_before_they_still_are() -> None:
    assert plugin_kit.digest is digest
    assert plugin_kit.read_settings is read_settings
