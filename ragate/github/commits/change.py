"""What is judged; in mode ``decide``, which commit of which pull request the outputs are about.

Only GitHub is asked: the event and the API. What the outputs say is not.
"""

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import UsageError
from ragate.github.commits.base_commit import Base
from ragate.github.commits.merge_commit import branch_tip, open_pull
from ragate.github.commits.open_pulls import pulls_of_run
from ragate.github.commits.shared_commit import other_branches
from ragate.github.event.event import Event
from ragate.github.rest.repository import Repository


@dataclass(frozen=True)
class Change:
    """A pull request, a group of the merge queue, or a commit that is judged by its own rules.

    Attributes:
        branch: The branch that it would land on.
        number: The pull request, None where there is none.
        other_branches: What the same commit is proposed to as well; their rules may differ.
        root: The repository in which it is checked out, None where it is not.
        warnings: What the reader should know of the base.
    """

    base: Base
    branch: str
    number: int | None = None
    other_branches: tuple[str, ...] = ()
    root: Path | None = None
    warnings: tuple[str, ...] = ()


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
        return Change(Base(tip, run.head_sha, "", trusted=False), event.default_branch)
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
    pull = open_pull(repository, number, head)
    if pull is None:
        return None
    refs = other_branches(event, repository, head, pull.base_ref)
    if event.default_branch in refs:
        return None
    base = Base(pull.tip, head, pull.merged, trusted=False)
    return Change(base, pull.base_ref, number, refs)
