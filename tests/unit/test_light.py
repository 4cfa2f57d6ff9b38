"""What is not loaded: whoever runs one thing waits for no library of another."""

from __future__ import annotations

import importlib

import pytest

from ragate import plugins
from ragate.run.hooks import HOOKS
from tests.unit.fresh import printed

LIBRARIES = "numpy psycopg openai llama_index jinja2 httpx2 aiohttp yaml click"
FAMILIES = {plugins.locate("metrics", base).partition(":")[0] for base in plugins.names("metrics")}
JUDGES = {plugins.locate("judges", name) for name in plugins.names("judges")}
HOOKED = {hook.path.partition(":")[0] for hook in HOOKS}
TYPES = "ragate.models, ragate.protocols, ragate.settings, ragate.errors, ragate.config"
NAMES = "ragate.plugins.names('metrics')"
TRAITS = "for each in ragate.plugins.names('systems'): ragate.plugins.traits(each)"
RUNS = "import pathlib, ragate.run.one_run, ragate.cli.commands.runs"
STORES = """
from ragate.resources.operations import Operations
from ragate.stores.local import open_store
open_store(Operations({}, pathlib.Path('.'))).reach()
"""


@pytest.mark.parametrize(
    ("code", "unloaded"),
    [
        (f"import {TYPES}", LIBRARIES.split()),
        (f"import {', '.join(FAMILIES | JUDGES)}", LIBRARIES.split()),
        (f"import ragate.plugins\n{NAMES}\n{TRAITS}", [*LIBRARIES.split(), *FAMILIES]),
        ("import ragate.cli.commands.runs", ["pydantic", "ragate.models"]),
        ("import ragate.run.one_run", HOOKED),
        (f"{RUNS}\n{STORES}", ["psycopg"]),
    ],
    ids=["types", "metrics and judges", "traits", "a list of runs", "a run", "a folder of runs"],
)
def test_what_others_need_is_not_loaded(code: str, unloaded: list[str]) -> None:
    asked = f"print(*(name for name in {[*unloaded]} if name in sys.modules))"

    assert printed(f"{code}\nimport sys\n{asked}") == []


def test_every_hook_of_the_list_is_there() -> None:
    for hook in HOOKS:
        module, _, name = hook.path.partition(":")
        assert hasattr(importlib.import_module(module), name)
