"""The files of a commit: in the local repository, or by GitHub's API."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from ragate.errors import RagateError
from ragate.github.commits import git_objects
from ragate.github.commits.git_objects import TreeEntry
from ragate.github.rest.repository import Repository

_KEYS = ("mode", "type", "sha", "path")


class BaseUnreadableError(RagateError):
    """The base commit's files cannot be read: no decision."""


class Tree(Protocol):
    """The files of one commit; every call may raise a `RagateError`."""

    @property
    def sha(self) -> str: ...

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None where the path is proven to be absent."""

    def list(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder; [] where it is absent."""


@dataclass(frozen=True)
class GitTree:
    """A commit of the local repository at `root`."""

    root: Path
    sha: str

    def read(self, path: str) -> bytes | None:
        entry = git_objects.entry(self.root, self.sha, path)
        if entry is None:
            return None
        if not entry.regular:
            raise _not_regular(path, self.sha)
        return git_objects.blob(self.root, entry.sha)

    def list(self, folder: str) -> list[str]:
        entry = git_objects.entry(self.root, self.sha, folder)
        if entry is None or entry.kind != "tree":
            return []
        files = git_objects.listing(self.root, self.sha, folder)
        return sorted(PurePosixPath(file.path).name for file in files if file.regular)


@dataclass(frozen=True)
class ApiTree:
    """A commit of GitHub's repository.

    Absence is read off the tree's listings: a 404 alone may also mean a missing permission.
    """

    repository: Repository
    sha: str
    _listed: dict[str, dict[str, TreeEntry]] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> bytes | None:
        entry = self._entry(path)
        if entry is None:
            return None
        if not entry.regular:
            raise _not_regular(path, self.sha)
        content = self.repository.contents(path, self.sha)
        if content is None:
            raise BaseUnreadableError(f"{path} at {self.sha[:7]}: listed, and cannot be read")
        return content

    def list(self, folder: str) -> list[str]:
        entry = self._entry(folder)
        if entry is None or entry.kind != "tree":
            return []
        return sorted(name for name, file in self._names(folder, entry.sha).items() if file.regular)

    def _entry(self, path: str) -> TreeEntry | None:
        *folders, file = PurePosixPath(path).parts or ("",)
        names, folder = self._names("", self.sha), ""
        for name in folders:
            folder = f"{folder}/{name}".lstrip("/")
            entry = names.get(name)
            if entry is None:
                return None
            if entry.kind != "tree":
                raise _not_regular(folder, self.sha)
            names = self._names(folder, entry.sha)
        return names.get(file)

    def _names(self, folder: str, sha: str) -> dict[str, TreeEntry]:
        if folder not in self._listed:
            rows = self.repository.tree(sha, recursive=False)
            self._listed[folder] = {
                str(row["path"]): TreeEntry(*(str(row[key]) for key in _KEYS)) for row in rows
            }
        return self._listed[folder]


def _not_regular(path: str, sha: str) -> BaseUnreadableError:
    return BaseUnreadableError(
        f"{path} at {sha[:7]} is no regular file",
        remedy="the gate's own files must not be links, nor lie behind one",
    )


def tree_of(sha: str, root: Path | None, repository: Repository | None) -> Tree:
    """Return the files of a commit: from the local repository, else from the API.

    Raises:
        BaseUnreadableError: neither has them.
    """
    if root is not None and git_objects.has_tree(root, sha):
        return GitTree(root, sha)
    if repository is not None:
        return ApiTree(repository, sha)
    raise BaseUnreadableError(
        f"the files of the base commit {sha[:7]} are not here",
        remedy="give the step a github-token, or check out with `fetch-depth: 2`",
    )
