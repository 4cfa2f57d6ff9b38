"""What an earlier version left in a project: keys in ragate.toml, and a merge driver in git."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragate.config.read import MAX_BYTES
from ragate.config.upgrade import upgraded
from ragate.errors import ConfigError, UsageError
from ragate.support import git
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_text, refuse_unwritable_path

DRIVER = "merge=ragate-baseline"
SECTION = "merge.ragate-baseline"
FORGET = f"git config --remove-section {SECTION}"


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


def forget_driver(top: Path, *, write: bool) -> Iterator[str]:
    """Take the merge driver of earlier versions out of a clone, and yield what is said of it."""
    attributes = top / ".gitattributes"
    lines = _lines(attributes)
    kept = [line for line in lines if not line.rstrip().endswith(DRIVER)]
    # By its name: git is shown a copy of the repository's own configuration.
    own = ("config", "--file", str(top / ".git" / "config"))
    configured = bool(git.answer(top, *own, "--get", f"{SECTION}.driver"))
    if len(kept) == len(lines) and not configured:
        return
    if not write:
        yield f"git still calls a merge driver that is gone: {FORGET}"
        return
    if len(kept) < len(lines):
        write_atomic(attributes, "".join(kept).encode())
        yield ".gitattributes: the merge driver of baselines is taken out"
    if configured:
        git.answer(top, *own, "--remove-section", SECTION)
        yield "git: the merge driver of baselines is forgotten in this clone"
    yield f"In every other clone: {FORGET}"


def _lines(path: Path) -> Sequence[str]:
    if not path.is_file():
        return []
    return read_text(path, error=UsageError).splitlines(keepends=True)
