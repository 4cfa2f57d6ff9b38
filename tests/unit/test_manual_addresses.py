"""Whoever installed ragate has no `docs/`: what it prints names the manual's address."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ragate.version import MANUAL, __version__

PACKAGE = Path(__file__).parents[2] / "ragate"
BARE = re.compile(r"(?<![\w/.])docs/(?:[a-z-]+\.md|$)")


def printed(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the texts of a module that are no docstrings."""
    silent = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node


def test_no_text_that_is_printed_names_a_page_without_its_address() -> None:
    bare = [
        f"{path.name}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if "docs/" in (code := path.read_text(encoding="utf-8"))
        for node in printed(ast.parse(code))
        if BARE.search(str(node.value))
    ]

    assert bare == []
    assert f"/v{__version__}/docs" in MANUAL
