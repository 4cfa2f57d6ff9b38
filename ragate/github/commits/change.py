"""What is judged, and against which commit; in mode ``decide``, of which pull request.

Only the checkout, the event and GitHub's API are asked. What the outputs say is not.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ragate.errors import UsageError
from ragate.github.commits import git_objects
from ragate.github.commits.commit_tree import ApiTree, BaseUnreadableError, Commits
from ragate.github.event.event import Event, RunRef
from ragate.github.rest.repository import Json, Repository
from ragate.repository.git import head_commit, is_clean

# GitHub merges anew when the pull request is asked for; it takes a few seconds:
# https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-your-git-database
WAITS_S = (2.0, 3.0, 5.0)
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
    event: Event, repository: Repository, base_ref: str, path: str, *, read: str
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


@dataclass(frozen=True)
class Change:
    """A pull request, a group of the merge queue, or a commit that is judged by its own rules.

    Attributes:
        branch: The branch that it would land on.
        commits: Where its files are read: without a root, it is not checked out.
        number: The pull request, None where there is none.
        other_branches: What the same commit is proposed to as well; their rules may differ.
        warnings: What the reader should know of the base.
    """

    base: Base
    branch: str
    commits: Commits
    number: int | None = None
    other_branches: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def root(self) -> Path | None:
        return self.commits.root


def collected_change(event: Event, repository: Repository) -> Change | None:
    """Return what is judged; None where the pull request has moved on, or is closed.

    None as well where the same commit is also proposed to the default branch: that proposal's run
    sets the commit's status, and no other branch's rules replace it.

    Raises:
        UsageError: the event is about no change.
    """
    if event.pull is not None:
        return _of_pull(event, repository, event.pull.number, event.pull.head_sha)
    run = event.run
    if run is None or run.event not in {"pull_request", "merge_group"}:
        raise UsageError(
            f"mode decide: the event {event.name!r} is about no pull request that was collected",
            remedy="run it on `workflow_run` of the workflow that collects, or on `pull_request`",
        )
    if run.event == "merge_group":
        tip = branch_tip(repository, event.default_branch)
        base = Base(tip, run.head_sha, "", trusted=False)
        return Change(base, event.default_branch, Commits(None, repository))
    pulls = pulls_of_run(run, repository)
    # One commit has one status: where it is proposed twice, the default branch's rules count.
    pulls.sort(key=lambda pull: (pull["base"]["ref"] != event.default_branch, pull["number"]))
    return _of_pull(event, repository, int(pulls[0]["number"]), run.head_sha) if pulls else None


def is_current(event: Event, repository: Repository, change: Change) -> bool:
    """Return whether the same branch's rules still decide; judging takes its time."""
    if change.number is None:
        return True
    branch = str(repository.pull(change.number)["base"]["ref"])
    refs = other_branches(event, repository, change.base.head, branch)
    return (branch, refs) == (change.branch, change.other_branches)


def _of_pull(event: Event, repository: Repository, number: int, head: str) -> Change | None:
    change = open_pull(repository, number, head)
    if change is None:
        return None
    refs = other_branches(event, repository, head, change.branch)
    return None if event.default_branch in refs else replace(change, other_branches=refs)


# The open pull requests that propose a commit, and which of them sets its one status.
#
# The default branch's rules count as the strictest. GitHub's list of a commit's own pull
# requests is empty for commits of forks, so all open pull requests are looked through for the
# head.
# Source:
# https://docs.github.com/rest/commits/commits#list-pull-requests-associated-with-a-commit


def other_branches(event: Event, repository: Repository, sha: str, branch: str) -> tuple[str, ...]:
    """Return the branches that open pull requests propose `sha` to, without `branch`.

    They are not asked for where `branch` is the default one: its rules decide in any case.

    Raises:
        GitHubApiError: the API is out.
    """
    if branch == event.default_branch:
        return ()
    refs = {
        str(pull["base"]["ref"])
        for pull in repository.open_pulls()
        if str(pull["head"]["sha"]) == sha
    }
    return tuple(sorted(refs - {branch}))


def pulls_from_here(repository: Repository, sha: str, branch: str) -> list[int]:
    """Return the open pull requests of `sha` to `branch` whose head is a branch of this repository.

    Raises:
        GitHubApiError: the API is out.
    """
    return [
        int(pull["number"])
        for pull in repository.open_pulls()
        if (pull["head"]["sha"], pull["base"]["ref"]) == (sha, branch)
        # By number: a name can be given up and taken by someone else.
        and (pull["head"].get("repo") or {}).get("id") == pull["base"]["repo"]["id"]
    ]


def refuse_two_branches(sha: str, branch: str, other_branches: tuple[str, ...]) -> None:
    """Raise where other branches than the default one would share a status.

    Raises:
        BaseUnreadableError: nobody can say which of their rules are the stricter ones.
    """
    if other_branches:
        raise BaseUnreadableError(
            f"{sha[:7]} is proposed to {branch!r} and to {other_branches[0]!r}: their rules may "
            "differ, and a commit has one status",
            remedy="close one of the pull requests, or push another commit to it, and run again",
        )


def pulls_of_run(run: RunRef, repository: Repository) -> list[Json]:
    """Return the open pull requests at the run's commit, from the run's own repository.

    They are asked for by owner and branch. Where these lead to none, the branch or the owner may
    have been renamed: then all open ones are looked through for the commit.

    Raises:
        GitHubApiError: the API is out.
    """
    owner = run.head_repository.partition("/")[0]
    if not owner or not run.head_branch:
        return []
    named = repository.pulls_of(f"{owner}:{run.head_branch}")
    return _at(run, named or repository.open_pulls())


def _at(run: RunRef, pulls: Iterable[Json]) -> list[Json]:
    return [
        pull
        for pull in pulls
        if pull["head"]["sha"] == run.head_sha and _is_source(run, pull["head"].get("repo") or {})
    ]


def _is_source(run: RunRef, repository: Json) -> bool:
    """Compare by number where there is one: a name can be given up and taken by someone else."""
    number = repository.get("id")
    if run.head_repository_id and number:
        return bool(number == run.head_repository_id)
    return bool(repository.get("full_name") == run.head_repository)


# The test merge that GitHub keeps of a pull request: believed where it belongs to the base.
#
# GitHub makes it in the background, so for a while after a push or after a change of the base
# the pull request still names an old one, whose first parent may be of another branch.
# Source: https://docs.github.com/rest/pulls/pulls#get-a-pull-request


def open_pull(
    repository: Repository,
    number: int,
    head: str,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Change | None:
    """Return the pull request as it is now; None where it has moved on from `head` or is closed.

    Its base is the newest commit of the branch, and its merge is with that or with an ancestor of
    it, "" where there is none such. It is read again for a few seconds where its merge is not with
    the tip, since a newer one may be under way; one with an ancestor will do in the end.

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
        merged = str(pull.get("merge_commit_sha") or "")
        parent = _merged_onto(repository, merged, head)
        if parent == tip or wait is None or pull.get("mergeable") is False:
            break
        sleep(wait)
    fits = bool(parent) and repository.is_ancestor(parent, tip)
    base = Base(tip, head, merged if fits else "", trusted=False)
    return Change(base, base_ref, Commits(None, repository), number)


def _merged_onto(repository: Repository, merged: str, head: str) -> str:
    """Return the first parent of a merge of `head`; "" where the commit is no such merge."""
    parents = repository.commit(merged).parents if merged else ()
    return parents[0] if len(parents) == 2 and parents[1] == head else ""


def is_merge_onto(repository: Repository, merged: str, tip: str, head: str) -> bool:
    """Return whether a commit is the merge of `head` into `tip` or an ancestor of it."""
    parent = _merged_onto(repository, merged, head)
    return bool(parent) and repository.is_ancestor(parent, tip)


def branch_tip(repository: Repository, branch: str) -> str:
    """Return the newest commit of a branch.

    Raises:
        BaseUnreadableError: there is no such branch.
    """
    tip = repository.branch_sha(branch)
    if not tip:
        raise BaseUnreadableError(f"the branch {branch!r} cannot be read")
    return tip
