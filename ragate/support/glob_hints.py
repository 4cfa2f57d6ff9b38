"""Glob patterns that match nothing: how they are read, and the first part of them that is wrong."""

import difflib
from pathlib import Path

HOW_READ = (
    "a pattern is read from the folder of ragate.toml, and case counts: * is any name, "
    "**/ any folders between"
)
_WILD = frozenset("*?[")


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
