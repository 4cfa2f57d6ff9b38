"""The figures of the house: how much code there is, how it hangs together, how its names sound.

    python -m tools.house

`make lint` prints them and fails for none. `tests/unit/test_house.py` holds some of them.
"""

from __future__ import annotations

import ast
import gc
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ragate"
TESTS = ROOT / "tests"

# Words that hold anything, and so say nothing of what they hold.
VAGUE = {
    *("both", "found", "given", "kept", "known", "lead", "made", "one", "own"),
    *("place", "said", "seen", "some", "then", "told", "wanted"),
}
# What every plugin of a kind calls so, each in a module of its own.
SHARED_NAMES = {"Settings", "Model", "Prompt"}
LONG_BODY = 30
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Counted:
    """A figure, and what counts against it.

    Attributes:
        value: A count, or a percentage where the figure is a share.
        items: What the reader looks at to better it, as ``path:line name`` where it has a line.
    """

    value: float
    items: tuple[str, ...] = ()


@cache
def modules() -> dict[Path, ast.Module]:
    """Return every file of the package, by its path below the root."""
    collects = gc.isenabled()
    gc.disable()  # looking for garbage among 700,000 nodes took two thirds of the time
    try:
        return {
            path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
            for path in sorted(PACKAGE.rglob("*.py"))
        }
    finally:
        gc.freeze()  # they stay to the end, and nobody need look through them again
        if collects:
            gc.enable()


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Return every node of every file: a walk costs more than all that is counted on it."""
    return {path: list(ast.walk(tree)) for path, tree in modules().items()}


def named_modules() -> list[Path]:
    """Return the modules that have a name of their own: no ``__init__`` and no ``__main__``."""
    return [path for path in modules() if not path.stem.startswith("__")]


def lines() -> Counted:
    """Return how many lines the files have, comments and empty ones as well."""
    return Counted(sum(len(_text(path).splitlines()) for path in modules()))


def tokens() -> Counted:
    """Return how many names, operators and literals there are, without docstrings."""
    return Counted(sum(tokens_of(_text(path)) for path in modules()))


def tokens_of(code: str) -> int:
    """Return how many names, operators and literals a file has, without docstrings."""
    documented = _docstring_lines(ast.parse(code))
    return sum(
        token.type not in _NO_CODE
        and not (token.type == tokenize.STRING and token.start[0] in documented)
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
    )


def import_share() -> Counted:
    """Return the percentage of lines of code that import."""
    importing = code = 0
    for path, tree in modules().items():
        documented = _docstring_lines(tree)
        nodes = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
        imports = {line for node in nodes for line in _lines_of(node)}
        for number, row in enumerate(_text(path).splitlines(), 1):
            if row.strip() and not row.lstrip().startswith("#") and number not in documented:
                code += 1
                importing += number in imports
    return Counted(100 * importing / code)


def crumbs() -> Counted:
    """Return how many modules are imported by one module alone, of the same folder."""
    users = defaultdict(set)
    for module, used in import_graph().items():
        for name in used:
            users[name].add(module)
    files = _by_module()
    items = [
        f"{files[name]}, for {files[user]}"
        for name, (user, *others) in users.items()
        if not others
        and files[name].stem != "__init__"
        and files[name].parent == files[user].parent
    ]
    return Counted(len(items), tuple(sorted(items)))


def circles() -> Counted:
    """Return 1 and the modules of a circle of imports, in functions too; 0 where there is none."""
    graph = {
        # A package names its own modules, and they name its folder without its content.
        module: {name for name in used if not module.startswith(f"{name}.")}
        for module, used in import_graph().items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return Counted(1, tuple(error.args[1]))
    return Counted(0)


@cache
def import_graph() -> dict[str, set[str]]:
    """Return the modules of the package that each one imports, in functions too."""
    files = _by_module()
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        used = graph[module] = set()
        for node in nodes()[path]:
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                used |= inner & files.keys() or {node.module}
        used &= files.keys() - {module}
    return graph


def _by_module() -> dict[str, Path]:
    return {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in modules()
    }


def _text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _docstring_lines(tree: ast.Module) -> set[int]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [each for each in ast.walk(tree) if isinstance(each, kinds)]
    return {line for node in nodes if ast.get_docstring(node) for line in _lines_of(node.body[0])}


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def long_bodies() -> Counted:
    """Return how many functions have more than `LONG_BODY` lines below their docstring."""
    items = [
        f"{path}:{node.lineno} {node.name}, {lines} lines"
        for path, inside in nodes().items()
        for node in inside
        if isinstance(node, Function) and (lines := body_lines(node)) > LONG_BODY
    ]
    return Counted(len(items), tuple(items))


def body_lines(function: Function) -> int:
    """Return how many lines a function has below its signature and its docstring."""
    statements = function.body[1:] if ast.get_docstring(function) else function.body
    if not statements or function.end_lineno is None:
        return 0
    return function.end_lineno - statements[0].lineno + 1


def vague_names() -> Counted:
    """Return the percentage of names, of all that code binds, that are a vague word."""
    bound = [
        (path, line, name) for path, inside in nodes().items() for line, name in bound_names(inside)
    ]
    items = tuple(f"{path}:{line} {name}" for path, line, name in bound if name.strip("_") in VAGUE)
    return Counted(100 * len(items) / len(bound), items)


def bound_names(inside: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield functions, their arguments and the variables that are set, with their lines."""
    for node in inside:
        if isinstance(node, Function):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def public_docstrings() -> Counted:
    """Return the percentage of public modules, classes, functions and methods with a docstring."""
    public = [
        (f"{path}:{line} {name}", node)
        for path, tree in modules().items()
        for line, name, node in ((1, "", tree), *_public(tree))
    ]
    bare = tuple(name for name, node in public if not ast.get_docstring(node))
    return Counted(100 - 100 * len(bare) / len(public), bare)


def _public(
    parent: ast.Module | ast.ClassDef, above: str = ""
) -> Iterator[tuple[int, str, Function | ast.ClassDef]]:
    for node in parent.body:
        if isinstance(node, Function | ast.ClassDef):
            if node.name.startswith("_"):
                continue
            yield node.lineno, above + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node, f"{node.name}.")


def shared_class_names() -> Counted:
    """Return how many public classes have the name of one in another module."""
    places = defaultdict(list)
    for path, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.as_posix())
    items = [
        f"{name}: {', '.join(paths)}"
        for name, paths in places.items()
        if len(paths) > 1 and name not in SHARED_NAMES
    ]
    return Counted(len(items), tuple(items))


def modules_with_tests() -> Counted:
    """Return the percentage of modules of which a test file has the name."""
    tests = {path.stem for path in TESTS.rglob("test_*.py")}
    without = [path for path in named_modules() if f"test_{path.stem.lstrip('_')}" not in tests]
    share = 100 - 100 * len(without) / len(named_modules())
    return Counted(share, tuple(path.as_posix() for path in without))


FIGURES = {
    "files": lambda: Counted(len(modules())),
    "lines": lines,
    "tokens of code": tokens,
    "lines of code that import, %": import_share,
    "modules with one importer, of their folder": crumbs,
    "circles of imports": circles,
    f"function bodies over {LONG_BODY} lines": long_bodies,
    "vague names, %": vague_names,
    "public docstrings, %": public_docstrings,
    "public classes that share a name": shared_class_names,
    "modules with a test file of their name, %": modules_with_tests,
}


def main() -> None:
    for name, count in FIGURES.items():
        print(f"{name}: {count().value:,.6g}")


if __name__ == "__main__":
    main()
