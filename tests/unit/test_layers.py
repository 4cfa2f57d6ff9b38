"""The shape of the package: who may import whom, and what stays light."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.unit.fresh import printed

PACKAGE = Path(__file__).parents[2] / "ragate"

# A folder (or a module beside folders) imports only from rows above its own, in functions too.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "models", "process", "version", "worker"),
    ("protocols",),
    ("support", "core"),
    ("core.calls", "core.doc_ids", "core.drill", "core.statistics", "core.text"),
    ("core.comparison", "core.diagnosis", "core.judging"),
    ("core.rules",),
    ("core.decision", "core.scorecard"),
    ("baseline", "cache", "clients.http", "database", "outputs", "plugins", "renderers"),
    ("clients", "judges._canaries", "queue"),
    ("renderers.console", "renderers.html", "renderers.markdown", "renderers.sarif"),
    ("clients.memoised", "config", "dataset", "embedders", "stores"),
    (
        "dataset._importers",
        "judges",
        "metrics",
        "recorder.proxy",
        "rerankers",
        "stores.postgres",
        "systems",
    ),
    ("systems.http", "judges.llamaindex", "judges.rubric"),
    ("systems.mcp", "systems.pgvector"),
    ("executors",),
    (
        "metrics.grounding",
        "metrics.reference",
        "metrics.refusal",
        "metrics.retrieval",
        "metrics.tools",
    ),
    ("metrics.reference_content",),
    (
        "metrics.checks",
        "metrics.embedding",
        "metrics.judge",
        "metrics.policy",
        "metrics.run",
        "plugin_kit",
    ),
    (
        "metrics.churn",
        "metrics.claims",
        "metrics.variants",
    ),
    ("runtime", "telemetry"),
    ("recorder",),
    ("pipeline.run",),
    ("pipeline.golden", "pipeline.score"),
    (
        "pipeline.contract",
        "pipeline.decide",
    ),
    ("run",),
    ("pipeline.baseline", "pipeline.shards"),
    ("pipeline.history", "pipeline.workers"),
    ("pipeline",),
    ("github.rest",),
    ("github.event",),
    ("github.commits",),
    ("github.publish",),
    ("github.gate",),
    ("github.modes",),
    ("github",),
    ("cli", "cli.detect"),
    (
        "api",
        "cli.commands",
        "cli.dataset",
        "cli.init",
        "cli.plugin",
        "__main__",
    ),
    ("cli.doctor", "pytest_plugin"),
)
# Units of one row that import one another, in this direction.
SIDE_BY_SIDE = {("clients.memoised", "config")}
# Folders that hold folders only.
PARENTS = {"pipeline"}
ROW_OF = {unit: number for number, row in enumerate(ROWS) for unit in row}
FILES = sorted(PACKAGE.rglob("*.py"))
CORE_MAY_IMPORT = {"numpy", "pydantic", "ragate", "regex"}


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


@cache
def imports_of(path: Path) -> set[str]:
    """Return the modules that a file imports, in functions too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return found


def unit_of(module: str) -> str:
    """Return the row's entry that a module belongs to: the longest one above it, or itself."""
    parts = module.split(".")[1:]
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in ROW_OF), "")


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_every_folder_has_a_row() -> None:
    for folder in sorted({path.parent for path in FILES} - {PACKAGE}):
        name = ".".join(folder.relative_to(PACKAGE).parts)
        known = name in ROW_OF or name in PARENTS
        assert known, f"{name} has no row: give it one, here and in docs/"


def test_a_module_imports_only_from_its_folder_and_from_rows_above() -> None:
    for module in set(MODULES) - {"ragate"}:
        own = unit_of(module)
        assert own or module.removeprefix("ragate.") in PARENTS, f"{module} has no row"
        imported = {name for name in imports_of(MODULES[module]) if name.startswith("ragate.")}
        for other in {unit_of(name) for name in imported} - {own}:
            above = ROW_OF[other] < ROW_OF[own]
            assert above or (own, other) in SIDE_BY_SIDE, f"{module} imports {other}"


def test_the_core_imports_nothing_that_could_do_io() -> None:
    for module in (name for name in MODULES if part_of(name) == "core"):
        roots = {name.split(".")[0] for name in imports_of(MODULES[module])}
        assert roots - set(sys.stdlib_module_names) <= CORE_MAY_IMPORT, module
        io = {"os", "io", "socket", "subprocess", "pathlib", "time", "urllib"}
        assert roots.isdisjoint(io), module


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
        "ragate.plugins.find",
        "ragate.cli.group",
        "ragate.database.install",
        "ragate.judges.llamaindex._llm",
        "ragate.worker.target",
        "ragate.worker.__main__",
    }


HEAVY = ("numpy", "psycopg", "openai", "llama_index", "jinja2", "httpx2", "yaml", "click")


@pytest.mark.parametrize(
    "module",
    [
        "ragate.models",
        "ragate.protocols",
        "ragate.support.settings",
        "ragate.errors",
        "ragate.config",
    ],
)
def test_the_types_and_the_configuration_stay_light(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"

    assert printed(code) == []


def test_a_list_of_runs_loads_no_types_of_samples_and_scores() -> None:
    modules = "ragate.cli.commands.runs, ragate.stores.postgres.shared_store"
    code = f"import sys, {modules}; print(*({{'pydantic', 'ragate.models'}} & sys.modules.keys()))"

    assert printed(code) == []


def test_nothing_that_decides_reads_what_people_said_of_answers() -> None:
    readers = {
        module
        for module, path in MODULES.items()
        if "review_label" in (text := path.read_text(encoding="utf-8")) or "ReviewLabel" in text
    }
    deciding = ("baseline", "core", "github", "metrics", "judges")
    rooms = ("pipeline.decide", "pipeline.run", "pipeline.score", "pipeline.baseline")
    replies = {  # write what a comment's labels are, and name the file that they belong in
        "ragate.github.modes.command",
    }
    found = {m for m in readers if m.startswith(tuple(f"ragate.{n}" for n in deciding + rooms))}

    assert found == replies
