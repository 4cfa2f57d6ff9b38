"""The shape of the package: who may import whom."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

from ragate.cli.dataset import TOOLS
from ragate.cli.group import COMMANDS
from ragate.extension import OURS, TABLES_OF_CORE, absent, extensions, found

PACKAGE = Path(__file__).parents[2] / "ragate"

# A folder (or a module beside folders) imports only from rows above its own, in functions too.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "models", "process", "removed", "version", "worker"),
    ("protocols",),
    ("core", "installed", "machine_faults", "settings", "spans", "task_groups"),
    ("files",),
    ("repository",),
    ("guards",),
    ("extension", "tables"),
    ("core.calls", "core.doc_ids", "core.statistics", "core.text"),
    ("core.comparison", "core.diagnosis", "core.judging"),
    ("core.rules",),
    ("core.decision",),
    ("baseline", "cache", "clients.http", "database", "outputs", "plugins", "renderers"),
    ("clients", "scores"),
    ("judges._canaries", "renderers.console", "renderers.html", "renderers.markdown"),
    ("clients.memoised", "config", "dataset", "embedders"),
    (
        "judges",
        "metrics",
        "rerankers",
        "systems",
    ),
    ("systems.http", "judges.rubric"),
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
    ),
    ("metrics.claims",),
    ("resources",),
    ("stores",),
    ("answers",),
    ("plugin_kit",),
    ("dataset.checks", "scoring"),
    ("gate", "one_output", "plugins.contract"),
    ("sight",),
    ("run",),
    ("runs", "baseline.recording"),
    ("github.rest",),
    ("github.event",),
    ("github.commits",),
    ("github.publish",),
    ("github.gate",),
    ("github.modes",),
    ("github",),
    ("cli",),
    (
        "api",
        "cli.commands",
        "cli.dataset",
        "cli.init",
        "cli.plugin",
        "__main__",
    ),
    ("cli.doctor", "pytest_plugin"),
    ("contrib",),
)
# Units of one row that import one another, in this direction.
SIDE_BY_SIDE = {("clients.memoised", "config")}
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
        if name.startswith("contrib."):  # all in one row: none imports another
            continue
        assert name in ROW_OF, f"{name} has no row: give it one, here and in docs/"


def test_a_module_imports_only_from_its_folder_and_from_rows_above() -> None:
    for module in set(MODULES) - {"ragate"}:
        own = unit_of(module)
        assert own, f"{module} has no row"
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

    # The group loads commands lazily, as extensions are; the installer only looks whether the
    # server's wheel is there; the target of a system is the project's own code, and no plugin; nor
    # is the LLM that the policy names for LlamaIndex's evaluators. What seals a process imports
    # early what others import later.
    assert users <= {
        "ragate.plugins.find",
        "ragate.cli.group",
        "ragate.guards.seal",
        "ragate.extension",
        "ragate.database.install",
        "ragate.contrib.llamaindex_judge.llm",
        "ragate.worker.target",
        "ragate.worker.__main__",
    }


def test_nothing_imports_what_stands_beside_the_core_but_that_itself() -> None:
    for module, path in MODULES.items():
        own = ".".join(module.split(".")[:3])
        for other in imports_of(path):
            if other.startswith("ragate.contrib."):
                assert own == ".".join(other.split(".")[:3]), f"{module} imports {other}"


def test_the_core_names_what_stands_beside_it_in_one_list() -> None:
    core = {name: path for name, path in MODULES.items() if part_of(name) != "contrib"}
    named = {name for name, path in core.items() if "ragate.contrib" in path.read_text("utf-8")}
    brought = {
        words for each in found() for words in (*each.extension.commands, *each.extension.tables)
    }

    assert named == {"ragate.extension"}
    assert not brought & {*COMMANDS, *(f"dataset {name}" for name in TOOLS), *TABLES_OF_CORE}
    assert {*OURS} == {*absent(), *(each.name for each in extensions() if each.name in OURS)}


def test_nothing_that_decides_reads_what_people_said_of_answers() -> None:
    readers = {
        module
        for module, path in MODULES.items()
        if "review_label" in (text := path.read_text(encoding="utf-8")) or "ReviewLabel" in text
    }
    deciding = ("answers", "baseline", "core", "gate", "github", "judges", "metrics", "scoring")
    found = {m for m in readers if m.startswith(tuple(f"ragate.{n}" for n in deciding))}

    assert not found


# Each of these gives what it starts an environment of its own, without keys; but for the workers
# of a run, which are ragate itself, trusted as the run is.
STARTS_PROCESSES = {
    "ragate/repository/git_process.py",
    "ragate/systems/_process.py",
    "ragate/systems/_reaper.py",
    "ragate/database/embedded.py",
    "ragate/contrib/recorder/record_command.py",
    "ragate/contrib/workers/local.py",
    "ragate/plugins/contract/check_file.py",
    "ragate/cli/commands/demo.py",
}
_STARTS = {"Popen", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec"}
_STARTS |= {"subprocess_shell", "check_call", "check_output", "posix_spawn", "startfile"}
_OF_OS = {"execv", "execve", "execvp", "fork", "popen", "system"}


def starts_process(call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    module = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr == "run":
        return module == "subprocess"
    return function.attr in _STARTS or (module == "os" and function.attr in _OF_OS)


def test_processes_are_started_in_few_places() -> None:
    starting = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and starts_process(node)
    }

    assert starting == {path for path in STARTS_PROCESSES if (PACKAGE.parent / path).is_file()}
