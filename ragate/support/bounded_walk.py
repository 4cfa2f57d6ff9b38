"""Files of one name below a folder: a bounded search that follows no link."""

import os
from collections.abc import Iterator
from pathlib import Path

MOST_FOLDERS = 5_000
MOST_FILES = 50
DEPTH = 5
_PASSED_OVER = frozenset({"node_modules", "venv", "env", "site-packages", "__pycache__"})


def files_named(name: str, root: Path) -> Iterator[Path]:
    """Yield the files of this name below `root`, shallow ones first, none in a hidden folder."""
    waiting, folders, files = [root], 0, 0
    while waiting and folders < MOST_FOLDERS:
        folder = waiting.pop(0)
        folders += 1
        path = folder / name
        if path.is_file() and not path.is_symlink():
            yield path
            files += 1
            if files >= MOST_FILES:
                return
        if len(folder.relative_to(root).parts) < DEPTH:
            waiting += folders_in(folder)


def folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder that a project's own files may be in, by name."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
            )
    except OSError:
        return []
    return [folder / name for name in names if name not in _PASSED_OVER]
