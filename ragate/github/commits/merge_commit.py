"""The test merge that GitHub keeps of a pull request: believed where it belongs to the base.

GitHub makes it in the background, so for a while after a push or after a change of the base the
pull request still names an old one, whose first parent may be of another branch.
Source: https://docs.github.com/rest/pulls/pulls#get-a-pull-request
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.rest.git_database import Json
from ragate.github.rest.repository import Repository

# GitHub merges anew when the pull request is asked for; it takes a few seconds:
# https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-your-git-database
WAITS_S = (2.0, 3.0, 5.0)


@dataclass(frozen=True)
class OpenPull:
    """An open pull request at the commit that is judged.

    Attributes:
        base_ref: The branch that it would land on.
        tip: That branch's newest commit: its policy, golden set and baseline decide.
        merged: The merge of the head into the tip or an ancestor of it; "" where there is none.
    """

    number: int
    base_ref: str
    tip: str
    merged: str


def open_pull(
    repository: Repository,
    number: int,
    head: str,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> OpenPull | None:
    """Return the pull request as it is now; None where it has moved on from `head` or is closed.

    It is read again for a few seconds where its merge is not with the tip, since a newer one may
    be under way; one with an ancestor of the tip will do in the end.

    Raises:
        GitHubApiError: the API is out.
        BaseUnreadableError: the base has no such branch.
    """
    for wait in (*WAITS_S, None):
        pull = repository.pull(number)
        if str(pull["head"]["sha"]) != head or pull.get("state") != "open":
            return None
        base_ref = str(pull["base"]["ref"])
        tip = branch_tip(repository, base_ref)
        merged, parent = _merge(repository, pull, head)
        if parent == tip or wait is None or pull.get("mergeable") is False:
            break
        sleep(wait)
    fits = bool(merged) and repository.is_ancestor(parent, tip)
    return OpenPull(number, base_ref, tip, merged if fits else "")


def _merge(repository: Repository, pull: Json, head: str) -> tuple[str, str]:
    """Return the merge commit and its first parent, empty where it is none of this head."""
    merged = str(pull.get("merge_commit_sha") or "")
    parents = repository.commit(merged).parents if merged else ()
    return (merged, parents[0]) if len(parents) == 2 and parents[1] == head else ("", "")


def is_merge_onto(repository: Repository, merged: str, tip: str, head: str) -> bool:
    """Return whether a commit is the merge of `head` into `tip` or an ancestor of it."""
    parents = repository.commit(merged).parents
    return len(parents) == 2 and parents[1] == head and repository.is_ancestor(parents[0], tip)


def branch_tip(repository: Repository, branch: str) -> str:
    """Return the newest commit of a branch.

    Raises:
        BaseUnreadableError: there is no such branch.
    """
    tip = repository.branch_sha(branch)
    if not tip:
        raise BaseUnreadableError(f"the branch {branch!r} cannot be read")
    return tip
