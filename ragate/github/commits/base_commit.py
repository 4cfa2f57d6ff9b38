"""Which commit a change is judged against."""

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import UsageError
from ragate.github.commits import git_objects
from ragate.github.commits.commit_tree import ApiTree, BaseUnreadableError
from ragate.github.event.event import Event
from ragate.github.rest.repository import Repository
from ragate.support.git import head_commit, is_clean

# A secret or a write token is near, and the event is the same whoever sent the change.
PRIVILEGED = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
_CHECKOUT = (
    "check out what actions/checkout takes by itself: the merge commit, without `ref:`; the "
    "gate needs it to know the base"
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


def base_of(event: Event, root: Path, *, own_files: tuple[Path, ...] = ()) -> Base:
    """Return the base of what is checked out at `root`.

    Args:
        own_files: What ragate itself writes into the work tree.

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
        return _privileged(event, root, head, own_files)
    if event.pull is not None:
        return _merge(event, root, head)
    if event.merge_group is not None:
        if head not in {event.sha, event.merge_group.head_sha}:
            raise _elsewhere(event, head)
        return Base(event.merge_group.base_sha, event.merge_group.head_sha, head, trusted=False)
    return Base(head, head, head, trusted=True)


def _privileged(event: Event, root: Path, head: str, own_files: tuple[Path, ...]) -> Base:
    """Only the base's own files may be evaluated where keys are near a stranger's change."""
    if head != event.sha or not is_clean(root, but=own_files):
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
    parents = git_objects.parents(root, head)
    if len(parents) != 2 or parents[1] != event.pull.head_sha:
        raise UsageError(
            f"the checked-out commit {head[:7]} is no merge of the pull request's head "
            f"{event.pull.head_sha[:7]}",
            remedy=_CHECKOUT,
        )
    return Base(parents[0], event.pull.head_sha, head, trusted=False)


def _elsewhere(event: Event, head: str) -> UsageError:
    return UsageError(
        f"the workspace is at {head[:7]}, and the event is about {event.sha[:7]}", remedy=_CHECKOUT
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
