"""Mode ``decide``: which commit of which pull request the collected outputs are about.

Only GitHub is asked: the event and the API. What the outputs say is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragate.errors import UsageError
from ragate.github.base import Base, BaseUnreadableError
from ragate.github.event import Event
from ragate.github.repository import Json, Repository


@dataclass(frozen=True)
class Subject:
    """What is judged.

    Attributes:
        number: The pull request, None for a group of the merge queue.
        base_ref: The branch that it would land on.
    """

    number: int | None
    base: Base
    base_ref: str


def subject_of(event: Event, repository: Repository) -> Subject | None:
    """Return what is judged; None where the pull request has moved on, or is closed.

    Raises:
        UsageError: the event is about no change.
    """
    if event.pull is not None:
        return _of_pull(repository, event.pull.number, event.pull.head_sha)
    run = event.run
    if run is None or run.event not in {"pull_request", "merge_group"}:
        raise UsageError(
            f"mode decide: the event {event.name!r} is about no pull request that was collected",
            remedy="run it on `workflow_run` of the workflow that collects, or on `pull_request`",
        )
    if run.event == "merge_group":
        tip = _tip(repository, event.default_branch)
        return Subject(None, Base(tip, run.head_sha, "", trusted=False), event.default_branch)
    found = [pull for pull in _pulls(event, repository) if _head(pull) == run.head_sha]
    # One commit has one status: where it is proposed twice, the default branch's rules count.
    found.sort(key=lambda pull: (pull["base"]["ref"] != event.default_branch, pull["number"]))
    if not found or _is_side_entrance(event, repository, found[0]):
        return None
    return _of_pull(repository, int(found[0]["number"]), run.head_sha)


def _is_side_entrance(event: Event, repository: Repository, pull: Json) -> bool:
    """Whether the same commit, maybe of another branch, is also proposed to the default branch.

    That proposal's run sets the commit's status, and no other branch's rules replace it.
    """
    sha, main = _head(pull), event.default_branch
    return pull["base"]["ref"] != main and any(
        one.get("state") == "open" and _head(one) == sha and one["base"]["ref"] == main
        for one in repository.pulls_of_commit(sha)
    )


def _pulls(event: Event, repository: Repository) -> list[Json]:
    assert event.run is not None
    source = event.run.head_repository
    owner = source.partition("/")[0]
    if not owner or not event.run.head_branch:
        return []
    pulls = repository.pulls_of(f"{owner}:{event.run.head_branch}")
    return [pull for pull in pulls if _source(pull) == source]


def _source(pull: Json) -> str:
    return str((pull["head"].get("repo") or {}).get("full_name", ""))


def _head(pull: Json) -> str:
    return str(pull["head"]["sha"])


def _of_pull(repository: Repository, number: int, head: str) -> Subject | None:
    pull = repository.pull(number)
    if _head(pull) != head or pull.get("state") != "open":
        return None
    ref = str(pull["base"]["ref"])
    merged = str(pull.get("merge_commit_sha") or "")
    parents = repository.commit(merged).parents if merged else ()
    if len(parents) == 2 and parents[1] == head:
        return Subject(number, Base(parents[0], head, merged, trusted=False), ref)
    return Subject(number, Base(_tip(repository, ref), head, "", trusted=False), ref)


def _tip(repository: Repository, branch: str) -> str:
    tip = repository.branch_sha(branch)
    if not tip:
        raise BaseUnreadableError(f"the branch {branch!r} cannot be read")
    return tip
