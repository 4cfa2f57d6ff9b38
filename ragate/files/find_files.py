"""Where ragate.toml is, and files of one name below a folder: bounded, and following no link."""

import difflib
import os
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from ragate.errors import ConfigError

HOW_READ = (
    "a pattern is read from the folder of ragate.toml, and case counts: * is any name, "
    "**/ any folders between"
)
_WILD = frozenset("*?[")
CONFIG_NAME = "ragate.toml"
MOST_NAMED = 10
_INIT = "`ragate init` writes a commented ragate.toml"
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


def find_config(start: Path, *, named: Path | None = None) -> Path:
    """Return the configuration file: `named`, or the nearest ragate.toml above `start`.

    The search ends at the repository's root (the folder that holds ``.git``), and looks only in
    `start` where there is no repository.

    Raises:
        ConfigError: there is none; names those that lie below `start`.
    """
    if named is not None:
        path = start / named
        if path.is_dir():
            inside = named / CONFIG_NAME
            raise ConfigError(f"{named} is a folder", remedy=f"name the file in it: {inside}")
        if not path.exists():
            raise ConfigError(f"{named}: there is no such file", remedy=_INIT)
        return path
    folders = [start, *start.parents]
    root = next((n for n, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    for folder in folders[: root + 1]:
        path = folder / CONFIG_NAME
        if path.exists() and not path.is_dir():
            return path
    message = f"there is no {CONFIG_NAME} in {start} or above it"
    below = [path.relative_to(start).as_posix() for path in files_named(CONFIG_NAME, start)]
    if not below:
        raise ConfigError(message, remedy=_INIT)
    listed = ", ".join(below[:MOST_NAMED])
    if len(below) > MOST_NAMED:
        listed += f" and {len(below) - MOST_NAMED} more"
    raise ConfigError(
        f"{message}; below it are {listed}",
        remedy=f"change into the folder of one, or name it: --config {shlex.quote(below[0])}",
    )


# Files that a pattern of ``[system] paths`` names, where the policy allows them.


def named_files(
    pattern: str, *, root: Path, allowed: Sequence[str], key: str, first: str
) -> list[Path]:
    """Return the files below `root` that a pattern names, in order of name.

    The policy says where they may come from, since a hand-written file passes any gate.

    Args:
        allowed: Patterns of the policy's `key`.
        first: What has to write the files beforehand, for the message where there are none.

    Raises:
        ConfigError: it is no pattern, names no file, or one that the policy does not allow.
    """
    if Path(pattern).is_absolute():
        raise ConfigError(
            f"[system] paths: {pattern!r} is absolute", remedy="write it relative to ragate.toml"
        )
    try:
        files = sorted(file for file in root.glob(pattern) if file.is_file())
    except ValueError as error:
        raise ConfigError(
            f"[system] paths: {pattern!r}: {error}", remedy="write it like outputs/*.jsonl"
        ) from error
    if not files:
        why = f": {found}" if (found := why_no_match(root, pattern)) else ""
        raise ConfigError(
            f"[system] paths: {pattern!r} matches no file below {root}{why}",
            remedy=f"let {first}; {HOW_READ}",
        )
    for file in files:
        if not is_allowed(file, root=root, allowed=allowed):
            raise ConfigError(
                f"[system] paths: {file} is not allowed by [policy] {key} = {list(allowed)}",
                remedy=f"add {pattern!r} to {key} (in CI the base branch's policy counts)",
            )
    return files


def is_allowed(file: Path, *, root: Path, allowed: Sequence[str]) -> bool:
    """Return whether a file is one that patterns name, where it really is: links resolved."""
    real, top = file.resolve(), root.resolve()
    if not real.is_relative_to(top):
        return False
    return any(fnmatch(real.relative_to(top).as_posix(), pattern) for pattern in allowed)


# Glob patterns that match nothing: how they are read, and the first part of them that is wrong.


def why_no_match(root: Path, pattern: str) -> str:
    """Return where a pattern that matches no file below `root` leaves what is there.

    Returns:
        Such as ``there is no folder 'result' in it; did you mean 'results'?``; "" where every
        plain part of the pattern exists.
    """
    folder = root
    *folders, name = Path(pattern).parts or ("",)
    for part in folders:
        if _WILD & set(part):
            return ""
        if not (folder / part).is_dir():
            return f"there is no folder {part!r} in it{_hint(part, folder, folders=True)}"
        folder = folder / part
    if _WILD & set(name):
        return "" if folder == root else f"the folder {'/'.join(folders)} holds none"
    if (folder / name).is_dir():
        return f'it is a folder: "{Path(pattern).as_posix()}/**/*" names its files'
    return f"there is no file {name!r} in it{_hint(name, folder, folders=False)}"


def _hint(name: str, folder: Path, *, folders: bool) -> str:
    try:
        names = [path.name for path in folder.iterdir() if path.is_dir() == folders]
    except OSError:
        return ""
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
