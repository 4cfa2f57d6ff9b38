"""The worker's files: any Python from 3.9 on reads them, with nothing but its own library."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path

import pytest

import ragate.worker
from ragate.errors import SystemStartError
from ragate.worker.__main__ import OLDEST
from tests.unit.systems.bare import one

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


def of_version(version: str) -> str:
    """Return the interpreter of a version, "" where there is none on this machine."""
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(installed[-1]) if installed else shutil.which(f"python{version}") or ""


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_it_serves_in_every_python_from_the_oldest_on(tmp_path: Path, version: str):
    interpreter = of_version(version)
    if not interpreter:
        pytest.skip(f"no Python {version} on this machine")
    code = """
    import contextlib, sys
    @contextlib.asynccontextmanager
    async def make():
        async def answer(query, messages):
            return {"answer": str(sys.version_info[:2]), "contexts": ["a"]}
        yield answer
    """

    output = one(tmp_path, code, "make", factory=True, interpreter=[interpreter])

    assert output.answer == str(tuple(map(int, version.split("."))))


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.7", "3.8"])
def test_an_even_older_one_says_so(tmp_path: Path, version: str):
    interpreter = of_version(version)
    if not interpreter:
        pytest.skip(f"no Python {version} on this machine")

    with pytest.raises(SystemStartError, match=f"needs Python 3.9 or newer, and this is {version}"):
        one(tmp_path, "def answer(query): return 'x'", interpreter=[interpreter])


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
