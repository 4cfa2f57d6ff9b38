"""Source files that are read as text: bounded in number and size, and no link is followed."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.cli.detect.python_files import (
    DEPTH,
    MAX_BYTES,
    MAX_FILES,
    MAX_FOLDERS,
    MAX_TOTAL,
    PASSED_OVER,
)
from ragate.support.foreign_files import start_of

SUFFIXES = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})
_LINE_COMMENT = re.compile(r"(?m)^[ \t]*//[^\n]*")
# Only at the start of a line: elsewhere these signs stand in patterns and media types.
_COMMENT = re.compile(r"(?m)^[ \t]*/\*")
_TESTS = re.compile(r"\.(test|spec|config|d)\.\w+$|^ragate[-_]")


@dataclass(frozen=True)
class ScriptFile:
    """One file, as text without most of its comments.

    Attributes:
        path: Relative to the project.
    """

    path: PurePosixPath
    text: str


def script_files(root: Path) -> list[ScriptFile]:
    """Return the JavaScript and TypeScript files below `root`, shallow ones first."""
    return source_files(root, SUFFIXES)


def source_files(root: Path, suffixes: frozenset[str]) -> list[ScriptFile]:
    """Return the files with such names below `root`, shallow ones first."""
    paths = sorted(_paths(root, suffixes), key=lambda path: (len(path.parts), path))[:MAX_FILES]
    files, total = [], 0
    for path in paths:
        text = start_of(root / path, MAX_BYTES)
        total += len(text)
        if total > MAX_TOTAL:
            break
        files.append(ScriptFile(path, _without_comments(text)))
    return files


def manifest(root: Path) -> Mapping[str, Any] | None:
    """Return package.json, None where there is none or it cannot be read."""
    text = start_of(root / "package.json", MAX_BYTES)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _without_comments(text: str) -> str:
    """Return a text whose lines keep their numbers; each character is looked at a few times."""
    kept, at = [], 0
    while begun := _COMMENT.search(text, at):
        end = text.find("*/", begun.end())
        if end < 0:
            break
        kept += [text[at : begun.start()], "\n" * text.count("\n", begun.start(), end)]
        at = end + 2
    return _LINE_COMMENT.sub("", "".join([*kept, text[at:]]))


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
