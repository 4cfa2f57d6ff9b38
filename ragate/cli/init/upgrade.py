"""What an earlier version left in ragate.toml."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from ragate.config.read import MAX_BYTES
from ragate.config.upgrade import upgraded
from ragate.errors import ConfigError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import read_text, refuse_unwritable_path


def bring_up(config: Path, *, write: bool, everything: bool) -> Iterator[str]:
    """Take out of a configuration what is gone, and yield what is said of it.

    Args:
        write: Without it the difference is only shown.
        everything: As of `upgraded`.

    Raises:
        ConfigError: the file cannot be read, or may not be written.
    """
    old = read_text(config, error=ConfigError, max_bytes=MAX_BYTES)
    new = upgraded(old, everything=everything)
    if new.text != old:
        if write:
            refuse_unwritable_path(config.absolute())
            write_atomic(config, new.text.encode())
        yield f"ragate.toml: {'brought to' if write else 'not of'} this version"
        yield from (f"  {line}" for line in _difference(old, new.text))
        if not write:
            yield "  -> `ragate init --yes` writes that"
    for line in new.left:
        yield f"ragate.toml: {line}"
    if new.left:
        yield "  -> write it anew, or `ragate init --yes --replace` takes it out"


def _difference(old: str, new: str) -> Iterator[str]:
    """Yield what goes and what comes, with the line that each place begins at."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    yield from (line for line in lines if not line.startswith(("---", "+++")))
