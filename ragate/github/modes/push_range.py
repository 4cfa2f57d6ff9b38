"""What a push to the default branch brought, from the commit that the branch was at before it."""

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import RagateError
from ragate.github.commits import git_objects
from ragate.github.commits.changed_files import api_changed_files
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.repository import Repository

MOST_MERGES = 30


@dataclass(frozen=True)
class Push:
    """A push may bring many commits; the last one's parent is in the middle of it.

    Attributes:
        before: The commit that the branch was at; "" where that cannot be told.
        changed: The paths that differ from it; None where they cannot be told.
    """

    before: str
    changed: list[str] | None


def pushed(context: StepContext, root: Path, head: str) -> Push:
    """Return what `head` brought to its branch; by hand and at night, its own commit counts."""
    if context.event.name == "push":
        before = context.event.before
    else:
        before = next(iter(git_objects.parents(root, head)), "")
    return Push(before, _changed(context.repository, root, before, head) if before else None)


def merges_of(context: StepContext, repository: Repository, head: str) -> list[str]:
    """Return the commits that the push put on the branch itself, the newest first, at most 30.

    Those of a merged branch are not among them. Where it cannot be told what the branch was at, or
    that is no ancestor (a forced push), it is `head` alone.

    Raises:
        GitHubApiError: a commit could not be read.
    """
    before, merges = context.event.before, [head]
    if not before or not repository.is_ancestor(before, head):
        return merges
    while len(merges) < MOST_MERGES:
        older = next(iter(repository.commit(merges[-1]).parents), before)
        if older == before:
            break
        merges.append(older)
    return merges


def _changed(repository: Repository | None, root: Path, before: str, head: str) -> list[str] | None:
    if git_objects.has_tree(root, before):
        return git_objects.changed_files(root, before, head)
    try:
        # GitHub compares with the common ancestor: after a forced push that is another commit.
        # https://docs.github.com/rest/commits/commits#compare-two-commits
        if repository is None or not repository.is_ancestor(before, head):
            return None
        return api_changed_files(repository, before, head)
    except RagateError:
        return None
