"""The shape of the package: who may import whom, and what stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "ragate"

# A module imports only from rows above its own. Packages of one row do not import one another, but
# for those in SIDE_BY_SIDE.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "models", "process", "protocols"),
    ("core",),
    (
        "atomic",
        "cache",
        "clients",
        "database",
        "escape",
        "files",
        "machine_faults",
        "outputs",
        "settings",
        "spill",
        "strict_json",
        "vcs",
    ),
    (
        "baseline",
        "dataset",
        "embedders",
        "judges",
        "metrics",
        "renderers",
        "rerankers",
        "stores",
        "systems",
    ),
    ("plugins",),
    ("config",),
    ("pipeline",),
    ("github",),
    ("cli", "__main__"),
)
SIDE_BY_SIDE = {
    ("protocols", "models"),
    ("strict_json", "files"),
    ("outputs", "files"),
    ("outputs", "strict_json"),
    ("cache", "atomic"),
    ("database", "atomic"),
    ("cache", "strict_json"),
    ("clients", "cache"),
    ("clients", "files"),
    ("clients", "strict_json"),
    ("__main__", "cli"),
}
ROW_OF = {name: number for number, row in enumerate(ROWS) for name in row}
FILES = sorted(PACKAGE.rglob("*.py"))
CORE_MAY_IMPORT = {"numpy", "pydantic", "ragate"}


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imports_of(path: Path, *, at_import: bool = False) -> set[str]:
    """Return the modules that a file imports; `at_import`: only those that importing it loads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in top_level(tree) if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return found


def top_level(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("module", [name for name in MODULES if name != "ragate"])
def test_a_module_imports_only_from_rows_above_its_own(module: str) -> None:
    own = part_of(module)
    assert own in ROW_OF, f"{module} has no row: give it one, here and in the design"
    for other in {
        part_of(name) for name in imports_of(MODULES[module]) if name.startswith("ragate.")
    }:
        above = ROW_OF[other] < ROW_OF[own]
        assert other == own or above or (own, other) in SIDE_BY_SIDE, f"{module} imports {other}"


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {
        module: {name for name in imports_of(path, at_import=True) if name in MODULES} - {module}
        for module, path in MODULES.items()
    }
    for module, names in graph.items():
        # A package names its own modules, and they name the package's folder without its content.
        names -= {name for name in names if module.startswith(f"{name}.")}

    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("module", [name for name in MODULES if part_of(name) == "core"])
def test_the_core_imports_nothing_that_could_do_io(module: str) -> None:
    roots = {name.split(".")[0] for name in imports_of(MODULES[module])}

    assert roots - set(sys.stdlib_module_names) <= CORE_MAY_IMPORT
    assert roots.isdisjoint({"os", "io", "socket", "subprocess", "pathlib", "time", "urllib"})


def test_only_plugins_imports_by_name() -> None:
    users = {
        module
        for module, path in MODULES.items()
        if {"importlib", "importlib.util"} & imports_of(path)
        or "__import__(" in path.read_text(encoding="utf-8")
        or "import_module(" in path.read_text(encoding="utf-8")
    }

    # The group loads commands lazily; the installer only looks whether the server's wheel is there;
    # the target of a system is the project's own code, and no plugin; nor is the LLM that the
    # policy names for LlamaIndex's evaluators.
    assert users <= {
        "ragate.plugins",
        "ragate.cli.group",
        "ragate.database.install",
        "ragate.judges.llamaindex._llm",
        "ragate.systems._target",
    }


HEAVY = ("numpy", "psycopg", "openai", "llama_index", "jinja2", "httpx", "yaml", "click")


@pytest.mark.parametrize(
    "module",
    ["ragate.models", "ragate.protocols", "ragate.settings", "ragate.errors", "ragate.config"],
)
def test_the_types_and_the_configuration_stay_light(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.split() == []
