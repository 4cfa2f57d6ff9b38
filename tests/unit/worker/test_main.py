"""The worker's files: any Python from 3.9 on reads them, with nothing but its own library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import ragate.worker
from ragate.worker.__main__ import OLDEST

FILES = sorted(Path(ragate.worker.__file__).parent.glob("*.py"))
# Came to the standard library after 3.9, or to modules that were there.
LATER = {
    "tomllib",
    "asyncio.timeout",
    "asyncio.TaskGroup",
    "BaseExceptionGroup",
    "itertools.pairwise",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_oldest_python_reads_it(path: Path):
    text = path.read_text(encoding="utf-8")

    ast.parse(text, feature_version=OLDEST)
    assert not [name for name in LATER if name in text]


def test_an_even_older_one_can_at_least_say_so():
    text = (FILES[0].parent / "__main__.py").read_text(encoding="utf-8")

    ast.parse(text, feature_version=(3, 7))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_imports_the_standard_library_and_its_neighbours_only(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            root = name.partition(".")[0]
            ours = name == "ragate.worker" or name.startswith("ragate.worker.")
            # The turns of a conversation are the engine's own messages, in its own environment.
            assert ours or root in {*sys.stdlib_module_names, "llama_index"}, name
