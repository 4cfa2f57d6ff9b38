"""What the local repository holds of commits: nothing is checked out, fetched or run."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ragate.errors import RagateError
from ragate.repository.git_process import GitError, read_object, run_git

FOLDER = "040000"
_REGULAR = frozenset({"100644", "100755", "100664"})
LINKS = frozenset({"120000", "160000"})
_SECONDS = 60.0


class ObjectError(RagateError):
    """An object of the repository is there or should be, and cannot be read: no decision."""


@dataclass(frozen=True)
class TreeEntry:
    """What a name in a folder of a commit stands for.

    Attributes:
        mode: Six digits, as git writes them.
    """

    mode: str
    sha: str

    @property
    def is_folder(self) -> bool:
        return self.mode == FOLDER

    @property
    def is_regular(self) -> bool:
        return self.mode in _REGULAR


def parents(root: Path, commit: str) -> tuple[str, ...]:
    """Return a commit's parents as its object names them, also where a clone is shallow.

    Raises:
        ObjectError: there is no such commit here.
    """
    lines = _content(root, commit, "commit").partition(b"\n\n")[0].split(b"\n")
    return tuple(line[7:].decode("ascii") for line in lines if line.startswith(b"parent "))


def has_tree(root: Path, commit: str) -> bool:
    """Return whether the files of `commit` can be listed here; a shallow clone lacks parents."""
    try:
        folder(root, commit)
    except ObjectError:
        return False
    return True


@lru_cache(64)  # it does not change, and a report names files of the same folders again
def folder(root: Path, sha: str) -> Mapping[str, TreeEntry]:
    """Return what a folder holds, by name; of a commit, its top.

    Raises:
        ObjectError: it is not here.
    """
    content = _content(root, f"{sha}^{{tree}}", "tree")
    # "MODE NAME\0" and the sha as bytes.
    entries = re.finditer(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(sha) // 2), content, re.DOTALL)
    return {
        os.fsdecode(entry[2]): TreeEntry(entry[1].decode("ascii").zfill(6), entry[3].hex())
        for entry in entries
    }


@lru_cache(8)  # few, since they may be large
def file(root: Path, sha: str) -> bytes:
    """Return the content of a file's object.

    Raises:
        ObjectError: it is not here, as in a partial clone.
    """
    return _content(root, sha, "blob")


@lru_cache(8)
def changed_files(root: Path, old: str, new: str) -> Mapping[str, bool]:
    """Return the paths that differ between two commits, those of a rename both.

    Each with whether it is a submodule or a symbolic link on either side.

    Raises:
        ObjectError: one of the commits is not here.
    """
    arguments = ("diff-tree", "-r", "-z", "--no-renames", "--raw", old, new)
    try:
        done = run_git(root, *arguments, seconds=_SECONDS)
    except GitError as error:
        raise ObjectError(f"git diff-tree: {error}") from error
    if done.returncode != 0:
        why = done.stderr.decode("utf-8", "replace").strip()[:300]
        raise ObjectError(f"git diff-tree: {why or f'exit {done.returncode}'}")
    rows = os.fsdecode(done.stdout).split("\0")
    # ":100644 120000 OLD NEW M", and the path.
    return {
        path: not LINKS.isdisjoint(facts.removeprefix(":").split(" ")[:2])
        for facts, path in zip(rows[::2], rows[1::2], strict=False)
    }


def _content(root: Path, name: str, kind: str) -> bytes:
    try:
        found = read_object(root, name)
    except GitError as error:
        raise ObjectError(f"{kind} {name}: {error}") from error
    if found is None or found.kind != kind or found.content is None:
        raise ObjectError(f"{kind} {name}: the repository here does not hold it")
    return found.content
