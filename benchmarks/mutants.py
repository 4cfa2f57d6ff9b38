"""Break the decision rule one operator at a time, and see whether a test notices.

    python benchmarks/mutants.py ragate/core/verdicts.py [more files] [--output FILE]

Every comparison, arithmetic and logical operator, constant and `not` is changed once, in a copy of
the project. Prints each mutant that all tests of the decision let pass.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/unit/decision"
SLOW = ("test_calibration.py", "test_real_data.py")
SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line, what was changed, whole source) for every mutant."""
    tree = ast.parse(source)
    ignored = _inert(tree)
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in ignored:
            continue
        for change in _changes(node):
            mutated = copy.deepcopy(tree)
            twin = next(found for at, found in enumerate(ast.walk(mutated)) if at == place)
            said = _apply(twin, change)
            yield getattr(node, "lineno", 0), said, ast.unparse(mutated)


def _inert(tree: ast.AST) -> set[int]:
    """Return what has no effect when it changes: annotations and decorators."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            roots += [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            roots += node.decorator_list
    return {id(inner) for root in roots if root is not None for inner in ast.walk(root)}


def _changes(node: ast.AST) -> list[int]:
    if isinstance(node, ast.Compare):
        return [at for at, op in enumerate(node.ops) if type(op) in SWAPS]
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        return [0] if type(node.op) in SWAPS else []
    if isinstance(node, ast.UnaryOp):
        return [0] if isinstance(node.op, ast.Not | ast.USub | ast.Invert) else []
    if isinstance(node, ast.Constant):
        return [0] if isinstance(node.value, bool | int | float) else []
    return []


def _apply(node: ast.AST, at: int) -> str:
    before = ast.unparse(node)
    if isinstance(node, ast.Compare):
        node.ops[at] = SWAPS[type(node.ops[at])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not | ast.Invert):
            node.operand = ast.UnaryOp(op=node.op, operand=node.operand)
    elif isinstance(node, ast.Constant):
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1  # type: ignore[operator]
    return f"{before}  ->  {ast.unparse(node)}"


def survives(copy_root: Path, python: str) -> bool:
    """Whether every test passes on the project in `copy_root`; the quick ones run first."""
    found = sorted((copy_root / TESTS).glob("test_*.py"), key=lambda file: file.stat().st_size)
    tests = [str(file) for file in found if file.name not in SLOW]
    command = [python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy_root), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy_root, env=environment, capture_output=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    """Print the survivors of every file, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description="Mutation test of the decision rule.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        for part in ("ragate", "tests", "benchmarks"):
            shutil.copytree(ROOT / part, root / part)
        shutil.copy(ROOT / "pyproject.toml", root)
        if not survives(root, sys.executable):
            raise SystemExit("the tests fail before anything is broken")
        for path in options.files:
            lines += _of_file(root, path)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _of_file(root: Path, path: Path) -> list[str]:
    source = (root / path).read_text(encoding="utf-8")
    lines, count = [], 0
    for line, said, mutated in mutants(source):
        count += 1
        (root / path).write_text(mutated, encoding="utf-8")
        if survives(root, sys.executable):
            lines.append(f"{path}:{line}: {said}")
            print(lines[-1], flush=True)
    (root / path).write_text(source, encoding="utf-8")
    lines.append(f"{path}: {count} mutants, {count - len(lines)} noticed")
    print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    main()
