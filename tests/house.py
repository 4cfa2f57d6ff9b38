"""The figures of the house: how large its rooms are, how its names sound, what has a test.

    python -m tests.house

`tests/unit/test_house.py` holds the limits; this counts and names what counts against one.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
LONG_FILE = 200
LONG_BODY = 30

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
    return {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def named_modules() -> list[Path]:
    """Return the modules that have a name of their own: no ``__init__`` and no ``__main__``."""
    return [path for path in modules() if not path.stem.startswith("__")]


def largest_folder() -> Counted:
    """Return the most modules that one folder holds."""
    sizes = Counter(path.parent for path in modules() if path.stem != "__init__")
    folder, size = sizes.most_common(1)[0]
    return Counted(size, (folder.as_posix(),))


def long_files() -> Counted:
    """Return how many files are longer than `LONG_FILE` lines."""
    lengths = {path: len((ROOT / path).read_text("utf-8").splitlines()) for path in modules()}
    items = [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > LONG_FILE]
    return Counted(len(items), tuple(items))


def long_bodies() -> Counted:
    """Return how many functions have more than `LONG_BODY` lines below their docstring."""
    items = [
        f"{path}:{node.lineno} {node.name}, {lines} lines"
        for path, tree in modules().items()
        for node in ast.walk(tree)
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
        (path, line, name) for path, tree in modules().items() for line, name in bound_names(tree)
    ]
    items = tuple(f"{path}:{line} {name}" for path, line, name in bound if name.strip("_") in VAGUE)
    return Counted(100 * len(items) / len(bound), items)


def bound_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield functions, their arguments and the variables that are set, with their lines."""
    for node in ast.walk(tree):
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
    "largest folder, in modules": largest_folder,
    f"files over {LONG_FILE} lines": long_files,
    f"function bodies over {LONG_BODY} lines": long_bodies,
    "vague names, %": vague_names,
    "public docstrings, %": public_docstrings,
    "public classes that share a name": shared_class_names,
    "modules with a test file of their name, %": modules_with_tests,
}


def main() -> None:
    for name, count in FIGURES.items():
        print(f"{name}: {count().value:.3g}")


if __name__ == "__main__":
    main()
