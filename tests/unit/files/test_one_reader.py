"""Files are read by `files.foreign_files` alone, which no pipe, device or size holds up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tools.house import ROOT, modules

READER = "ragate/files/foreign_files.py"
# What comes with the package, read in these modules only.
OUR_OWN_DATA = {
    "ragate/cli/plugin.py",
    "ragate/clients/prices.py",
    "ragate/config/scorecard.py",
    "ragate/renderers/_templates.py",
}
ASIDE = {
    "ragate/files/atomic_files.py: os.open(folder, os.O_RDONLY)",  # a folder, to sync it
    "ragate/guards/seal.py: os.open(path, os.O_RDONLY | os.O_CLOEXEC)",  # a folder, to know it
    "ragate/cache/turns.py: os.open(self._path, flags, 438)",  # to lock its bytes
    # The kernel's, in a process that imports next to nothing.
    "ragate/systems/_reaper.py: open(f'/proc/{name}/stat', 'rb')",
    # What pip wrote beside ragate.
    "ragate/installed.py: distribution('ragate').read_text('direct_url.json')",
    "ragate/cli/operations.py: dotenv_values(stream=io.StringIO(text), interpolate=False)",
}
READING = re.compile(
    r"[^(]+(\([^()]*\))?\.read_(text|bytes)\(|shutil\.copy(2|file)?\(|(.+\.)?(file_digest|dotenv_values)\(|os\.open\("
    r"|open\(|.+\.open\(.*(encoding=|newline=|mode=|'r)"  # and no breaker, pool or store
)
NAMES = {
    *("read_text", "read_bytes", "open", "copy", "copy2", "copyfile"),
    *("file_digest", "dotenv_values"),
}
WRITING = re.compile(r"O_WRONLY|O_RDWR|'[wax]b?'|\.open\(mode,")


def readings(tree: ast.AST) -> Iterator[str]:
    """Yield the calls that read a file past the reader."""
    calls = (
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in NAMES
    )
    yield from (call for call in calls if READING.match(call) and not WRITING.search(call))


def test_every_file_is_read_by_the_one_reader() -> None:
    found = {
        f"{path.as_posix()}: {call}"
        for path, tree in modules().items()
        if path.as_posix() not in {READER, *OUR_OWN_DATA}
        for call in readings(tree)
    }

    assert found - ASIDE == set(), f"read it with {READER}"
    assert found >= ASIDE


@pytest.mark.parametrize(
    "code",
    [
        "path.read_text()",
        "path.read_bytes()",
        "open(path)",
        "open(path, 'rb')",
        "path.open('rb')",
        "path.open(encoding='utf-8')",
        "path.open(mode='r')",
        "os.open(path, os.O_RDONLY)",
        "shutil.copyfile(a, b)",
        "dotenv_values(path)",
    ],
)
def test_reading_past_the_reader_is_found(code: str) -> None:
    assert list(readings(ast.parse(code)))
    assert (ROOT / READER).is_file()


@pytest.mark.parametrize(
    "code",
    [
        "read_text(path, error=ConfigError)",
        "path.open('x', encoding='utf-8')",
        "path.open('a' if more else 'w', encoding='utf-8')",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "self.breaker.open(error)",
        "reader.open()",
    ],
)
def test_writing_and_other_openings_are_allowed(code: str) -> None:
    assert list(readings(ast.parse(code))) == []
