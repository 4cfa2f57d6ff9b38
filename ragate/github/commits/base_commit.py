"""Which commit a change is judged against, and the files of that commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from ragate.errors import RagateError, UsageError
from ragate.github.commits import git_objects
from ragate.github.event.event import Event
from ragate.github.rest.repository import Repository
from ragate.support.git import head_commit, is_clean

# A secret or a write token is near, and the event is the same whoever sent the change.
PRIVILEGED = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
_CHECKOUT = (
    "check out what actions/checkout takes by itself: the merge commit, without `ref:`; the "
    "gate needs it to know the base"
)


class BaseUnreadableError(RagateError):
    """The base commit's files cannot be read: no decision."""


class Tree(Protocol):
    """The files of one commit; every call may raise a `RagateError`."""

    @property
    def sha(self) -> str: ...

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None where the path is proven to be absent."""
        ...

    def list(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder; [] where it is absent."""
        ...


@dataclass(frozen=True)
class GitTree:
    """A commit of the local repository at `root`."""

    root: Path
    sha: str

    def read(self, path: str) -> bytes | None:
        found = git_objects.entry(self.root, self.sha, path)
        if found is None:
            return None
        if not found.regular:
            raise _not_regular(path, self.sha)
        return git_objects.blob(self.root, found.sha)

    def list(self, folder: str) -> list[str]:
        found = git_objects.entry(self.root, self.sha, folder)
        if found is None or found.kind != "tree":
            return []
        names = git_objects.listing(self.root, self.sha, folder)
        return sorted(PurePosixPath(one.path).name for one in names if one.regular)


@dataclass(frozen=True)
class ApiTree:
    """A commit of GitHub's repository.

    Absence is read off the tree's listings: a 404 alone may also mean a missing permission.
    """

    repository: Repository
    sha: str
    _listed: dict[str, dict[str, tuple[str, str, str]]] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> bytes | None:
        found = self._entry(path)
        if found is None:
            return None
        mode, kind, _ = found
        if kind != "blob" or not mode.startswith("100"):
            raise _not_regular(path, self.sha)
        content = self.repository.contents(path, self.sha)
        if content is None:
            raise BaseUnreadableError(f"{path} at {self.sha[:7]}: listed, and cannot be read")
        return content

    def list(self, folder: str) -> list[str]:
        found = self._entry(folder)
        if found is None or found[1] != "tree":
            return []
        names = self._names(folder, found[2])
        return sorted(name for name, (mode, _, _) in names.items() if mode.startswith("100"))

    def _entry(self, path: str) -> tuple[str, str, str] | None:
        parts = PurePosixPath(path).parts
        names = self._names("", self.sha)
        for depth, part in enumerate(parts, 1):
            found = names.get(part)
            if found is None or depth == len(parts):
                return found
            if found[1] != "tree":
                raise _not_regular("/".join(parts[:depth]), self.sha)
            names = self._names("/".join(parts[:depth]), found[2])
        return None

    def _names(self, folder: str, sha: str) -> dict[str, tuple[str, str, str]]:
        if folder not in self._listed:
            rows = self.repository.tree(sha, recursive=False)
            self._listed[folder] = {
                str(row["path"]): (str(row["mode"]), str(row["type"]), str(row["sha"]))
                for row in rows
            }
        return self._listed[folder]


def _not_regular(path: str, sha: str) -> BaseUnreadableError:
    return BaseUnreadableError(
        f"{path} at {sha[:7]} is no regular file",
        remedy="the gate's own files must not be links, nor lie behind one",
    )


@dataclass(frozen=True)
class Base:
    """What a change is judged against.

    Attributes:
        sha: The base commit.
        head: What is judged and gets the status: a pull request's head.
        merged: What is checked out: the merge of the two, or `head`.
        trusted: What is checked out is the base itself, so that there is only one policy.
    """

    sha: str
    head: str
    merged: str
    trusted: bool


def base_of(event: Event, root: Path, *, own: tuple[Path, ...] = ()) -> Base:
    """Return the base of what is checked out at `root`.

    Args:
        own: What ragate itself writes into the work tree.

    Raises:
        UsageError: the workspace does not hold what the event is about.
    """
    head = head_commit(root)
    if not head:
        raise UsageError(
            "the workspace holds no commit that git can read",
            remedy="let actions/checkout run before this step",
        )
    if event.name in PRIVILEGED:
        return _privileged(event, root, head, own)
    if event.pull is not None:
        return _merge(event, root, head)
    if event.merge_group is not None:
        if head not in {event.sha, event.merge_group.head_sha}:
            raise _elsewhere(event, head)
        return Base(event.merge_group.base_sha, event.merge_group.head_sha, head, trusted=False)
    return Base(head, head, head, trusted=True)


def _privileged(event: Event, root: Path, head: str, own: tuple[Path, ...]) -> Base:
    """Only the base's own files may be evaluated where keys are near a stranger's change."""
    if head != event.sha or not is_clean(root, but=own):
        raise UsageError(
            f"under {event.name} nothing of a pull request is run: the workspace is not the base "
            f"commit {event.sha[:7]}",
            remedy="run the pull request's code under `pull_request` with mode collect, and judge "
            "its outputs with mode decide, which needs no checkout",
        )
    return Base(head, head, head, trusted=True)


def _merge(event: Event, root: Path, head: str) -> Base:
    assert event.pull is not None
    if head != event.sha:
        raise _elsewhere(event, head)
    found = git_objects.parents(root, head)
    if len(found) != 2 or found[1] != event.pull.head_sha:
        raise UsageError(
            f"the checked-out commit {head[:7]} is no merge of the pull request's head "
            f"{event.pull.head_sha[:7]}",
            remedy=_CHECKOUT,
        )
    return Base(found[0], event.pull.head_sha, head, trusted=False)


def _elsewhere(event: Event, head: str) -> UsageError:
    return UsageError(
        f"the workspace is at {head[:7]}, and the event is about {event.sha[:7]}", remedy=_CHECKOUT
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


def refuse_side_door(
    event: Event, repository: Repository, base_ref: str, path: str, *, read: str = ""
) -> None:
    """Raise where the base's branch, or the default one, has a gate by now.

    A status belongs to a commit, not to a pull request: the same commit could be proposed to the
    default branch next, or the pull request be pointed at it.

    Args:
        path: The configuration.
        read: The commit that is proven not to have it.
    """
    for branch in dict.fromkeys((base_ref, event.default_branch)):
        tip = repository.branch_sha(branch)
        if tip == read != "":
            continue
        if not tip or ApiTree(repository, tip).read(path) is not None:
            raise BaseUnreadableError(
                f"the base {read[:7]} of {base_ref!r} has no {path}, and {branch!r} has one",
                remedy=f"bring {path} to {base_ref!r} before changes to it are gated, and update "
                "the pull request's branch",
            )
