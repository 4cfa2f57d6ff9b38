"""Source files that are read as text: bounded in number and size, and no link is followed."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.cli.detect.python_files import DEPTH, MAX_BYTES, MAX_FILES, MAX_FOLDERS, PASSED_OVER
from ragate.cli.detect.web.services import start_of

SUFFIXES = frozenset({".js", ".mjs", ".cjs"})
_COMMENTS = re.compile(r"(?m)/\*[\s\S]{0,20000}?\*/|^\s*//[^\n]*")
_TESTS = re.compile(r"\.(test|spec|config)\.\w+$|^ragate[-_]")


@dataclass(frozen=True)
class ScriptFile:
    """One file, as text without most of its comments.

    Attributes:
        path: Relative to the project.
    """

    path: PurePosixPath
    text: str


def script_files(root: Path) -> list[ScriptFile]:
    """Return the JavaScript files below `root`, shallow ones first."""
    return source_files(root, SUFFIXES)


def source_files(root: Path, suffixes: frozenset[str]) -> list[ScriptFile]:
    """Return the files with such names below `root`, shallow ones first."""
    paths = sorted(_paths(root, suffixes), key=lambda path: (len(path.parts), path))[:MAX_FILES]
    texts = ((path, start_of(root / path, MAX_BYTES)) for path in paths)
    return [ScriptFile(path, _COMMENTS.sub(_lines, text)) for path, text in texts]


def manifest(root: Path) -> Mapping[str, Any] | None:
    """Return package.json, None where there is none or it cannot be read."""
    text = start_of(root / "package.json", MAX_BYTES)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _paths(root: Path, suffixes: frozenset[str]) -> Iterator[PurePosixPath]:
    for count, (path, folders, names) in enumerate(os.walk(root)):
        if count > MAX_FOLDERS:
            return
        folder = PurePosixPath(Path(path).relative_to(root).as_posix())
        entered = [
            name
            for name in sorted(folders)
            if not name.startswith(".") and name.lower() not in PASSED_OVER and name.isprintable()
        ]
        folders[:] = entered if len(folder.parts) < DEPTH else []
        for name in sorted(names):
            plain = name.isprintable() and not set(name) & set("'\"\\`")
            is_source = Path(name).suffix in suffixes and not _TESTS.search(name)
            if plain and is_source and not Path(path, name).is_symlink():
                yield folder / name
