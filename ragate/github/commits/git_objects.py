"""Files of a commit, read from the local repository: nothing is checked out, fetched or run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ragate.errors import RagateError
from ragate.repository.git_process import GitError, run_git

_REGULAR = frozenset({"100644", "100755", "100664"})
_SECONDS = 60.0
_LINK_MODES = frozenset({b"120000", b"160000"})


class ObjectError(RagateError):
    """An object of the repository is there or should be, and cannot be read: no decision."""


@dataclass(frozen=True)
class TreeEntry:
    """One name in a folder of a commit."""

    mode: str
    kind: str
    sha: str
    path: str

    @property
    def regular(self) -> bool:
        return self.kind == "blob" and self.mode in _REGULAR


def parents(root: Path, commit: str) -> tuple[str, ...]:
    """Return a commit's parents as its object names them, also where a clone is shallow.

    Raises:
        ObjectError: there is no such commit here.
    """
    lines = _run(root, "cat-file", "commit", commit).partition(b"\n\n")[0].split(b"\n")
    return tuple(line[7:].decode("ascii") for line in lines if line.startswith(b"parent "))


def has_tree(root: Path, commit: str) -> bool:
    """Return whether the files of `commit` can be listed here; a shallow clone lacks parents."""
    try:
        listing(root, commit, ".")
    except ObjectError:
        return False
    return True


def entry(root: Path, commit: str, path: str) -> TreeEntry | None:
    """Return what `path` is in `commit`; None where it is proven to be absent.

    Raises:
        ObjectError: a folder on the way is a link, or the commit cannot be read; or the path goes
            up again, where its absence would prove nothing.
    """
    if ".." in PurePosixPath(path).parts:
        raise ObjectError(f"{path} at {commit[:7]} goes up", remedy="write the path without ..")
    step: TreeEntry | None = None
    for name in reversed([PurePosixPath(path), *PurePosixPath(path).parents][:-1]):
        if step is not None and step.kind != "tree":
            raise ObjectError(
                f"{step.path} at {commit[:7]} is no folder",
                remedy="no file of the gate lies behind a link",
            )
        step = listing(root, commit, name.parent.as_posix()).get(name.as_posix())
        if step is None:
            return None
    return step


@lru_cache(64)  # a commit does not change, and a report names files of the same folders again
def listing(root: Path, commit: str, folder: str) -> Mapping[str, TreeEntry]:
    """Return the entries of a folder of `commit` ("." for its top) by path; {} where it is absent.

    Raises:
        ObjectError: the commit cannot be read.
    """
    rows = _run(root, "ls-tree", "-z", "--full-tree", commit, "--", f"{folder}/").split(b"\0")
    return {entry.path: entry for entry in map(_entry, filter(None, rows))}


@lru_cache(8)  # few, since they may be large
def blob(root: Path, sha: str) -> bytes:
    """Return the content of a file's object.

    Raises:
        ObjectError: it is not here, as in a partial clone.
    """
    return _run(root, "cat-file", "blob", sha)


@lru_cache(8)
def changed_files(root: Path, old: str, new: str) -> list[str]:
    """Return the paths that differ between two commits, those of a rename both."""
    paths = _run(root, "diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new)
    return [os.fsdecode(path) for path in paths.split(b"\0") if path]


def changed_links(root: Path, old: str, new: str) -> frozenset[str]:
    """Return those of the changed paths that are a submodule or a symbolic link on either side."""
    rows = _run(root, "diff-tree", "-r", "-z", "--no-renames", "--raw", old, new).split(b"\0")
    pairs = zip(rows[::2], rows[1::2], strict=False)
    links = [path for facts, path in pairs if _LINK_MODES & {facts[1:7], facts[8:14]}]
    return frozenset(os.fsdecode(path) for path in links)


def _entry(row: bytes) -> TreeEntry:
    facts, _, path = row.partition(b"\t")
    mode, kind, sha = facts.decode("ascii").split()
    return TreeEntry(mode, kind, sha, os.fsdecode(path))


def _run(root: Path, *arguments: str) -> bytes:
    try:
        done = run_git(root, *arguments, seconds=_SECONDS)
    except GitError as error:
        raise ObjectError(f"git {arguments[0]}: {error}") from error
    if done.returncode != 0:
        why = done.stderr.decode("utf-8", "replace").strip()[:300]
        raise ObjectError(f"git {arguments[0]}: {why or f'exit {done.returncode}'}")
    return done.stdout
