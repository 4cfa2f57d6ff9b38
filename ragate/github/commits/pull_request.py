"""Mode ``decide``: which commit of which pull request the collected outputs are about.

Only GitHub is asked: the event and the API. What the outputs say is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragate.errors import UsageError
from ragate.github.commits.base_commit import Base
from ragate.github.commits.merge_commit import branch_tip, open_pull
from ragate.github.commits.open_pulls import pulls_of_run
from ragate.github.commits.shared_commit import other_branches
from ragate.github.event.event import Event
from ragate.github.rest.repository import Repository


@dataclass(frozen=True)
class PullRequest:
    """What is judged.

    Attributes:
        number: The pull request, None for a group of the merge queue.
        base_ref: The branch that it would land on.
        other_refs: Branches that the same commit is proposed to as well, whose rules may differ.
    """

    number: int | None
    base: Base
    base_ref: str
    other_refs: tuple[str, ...] = ()


def subject_of(event: Event, repository: Repository) -> PullRequest | None:
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
        return PullRequest(None, Base(tip, run.head_sha, "", trusted=False), event.default_branch)
    found = pulls_of_run(run, repository)
    # One commit has one status: where it is proposed twice, the default branch's rules count.
    found.sort(key=lambda pull: (pull["base"]["ref"] != event.default_branch, pull["number"]))
    if not found:
        return None
    return _of_pull(event, repository, int(found[0]["number"]), run.head_sha)


def is_current(event: Event, repository: Repository, subject: PullRequest) -> bool:
    """Return whether the same branch's rules still decide; judging takes its time."""
    if subject.number is None:
        return True
    branch = str(repository.pull(subject.number)["base"]["ref"])
    others = other_branches(event, repository, subject.base.head, branch)
    return (branch, others) == (subject.base_ref, subject.other_refs)


def _of_pull(event: Event, repository: Repository, number: int, head: str) -> PullRequest | None:
    pull = open_pull(repository, number, head)
    if pull is None:
        return None
    others = other_branches(event, repository, head, pull.base_ref)
    if event.default_branch in others:
        return None
    return PullRequest(
        number, Base(pull.tip, head, pull.merged, trusted=False), pull.base_ref, others
    )
