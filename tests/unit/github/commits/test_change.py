"""What mode decide judges: found by GitHub's word alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragate.errors import UsageError
from ragate.github.commits.change import Base, _is_source, collected_change
from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.event.event import Event, RunRef
from ragate.github.rest.repository import Commit

HEAD, BASE, TIP, MERGE = "a" * 40, "b" * 40, "c" * 40, "d" * 40
RUN = RunRef(
    id=1,
    attempt=1,
    event="pull_request",
    head_sha=HEAD,
    head_branch="change",
    head_repository="stranger/handbook",
)
EVENT = Event(
    name="workflow_run",
    action="completed",
    repository="octo-org/handbook",
    sha=TIP,
    ref="refs/heads/main",
    run_id=9,
    run_attempt=1,
    run_url="",
    actor="stranger",
    default_branch="main",
    run=RUN,
)


def pull(number: int = 7, **fields: Any) -> dict[str, Any]:
    return {
        "number": number,
        "state": "open",
        "head": {"sha": HEAD, "repo": {"full_name": "stranger/handbook"}},
        "base": {"ref": "main", "sha": "0" * 40},
        "merge_commit_sha": MERGE,
        "mergeable": False,  # no newer merge is waited for
        **fields,
    }


class Hub:
    """As much of the repository as is asked."""

    def __init__(self, *pulls: dict[str, Any], parents: tuple[str, ...] = (BASE, HEAD)) -> None:
        self.pulls = {one["number"]: one for one in pulls}
        self.parents = parents
        self.asked: list[str] = []
        self.elsewhere: list[dict[str, Any]] = []
        self.pulls_by_number = self.pulls

    def pulls_of(self, head: str) -> list[dict[str, Any]]:
        self.asked.append(head)
        return list(self.pulls.values())

    def open_pulls(self) -> list[dict[str, Any]]:
        return [one for one in [*self.pulls.values(), *self.elsewhere] if one["state"] == "open"]

    def is_ancestor(self, old: str, new: str) -> bool:
        return (old, new) in {(BASE, TIP), (TIP, TIP)}

    def pull(self, number: int) -> dict[str, Any]:
        return self.pulls_by_number[number]

    def commit(self, sha: str) -> Commit:
        assert sha == MERGE
        return Commit(sha, "", self.parents)

    def branch_sha(self, branch: str) -> str:
        return TIP if branch in ("main", "main-v1") else ""


def found(hub: Hub, event: Event = EVENT) -> Any:
    return collected_change(event, hub)  # type: ignore[arg-type]


@pytest.mark.parametrize("parent", [BASE, TIP])
def test_the_base_is_the_branchs_tip_and_the_merge_is_one_with_it_or_an_ancestor(
    parent: str,
) -> None:
    hub = Hub(pull(), parents=(parent, HEAD))
    change = found(hub)
    assert (change.number, change.base.sha, change.base.head) == (7, TIP, HEAD)
    assert change.base.merged == MERGE
    assert hub.asked == ["stranger:change"]


@pytest.mark.parametrize(
    "parents", [(BASE,), (BASE, TIP), (HEAD, BASE), (), ("e" * 40, HEAD), ("", HEAD)]
)
def test_a_merge_of_something_else_or_with_another_branch_is_not_used(
    parents: tuple[str, ...],
) -> None:
    assert found(Hub(pull(), parents=parents)).base == Base(TIP, HEAD, "", trusted=False)
    assert found(Hub(pull(merge_commit_sha=None))).base.sha == TIP


@pytest.mark.parametrize(
    "other",
    [
        {"head": {"sha": TIP, "repo": {"full_name": "stranger/handbook"}}},
        {"head": {"sha": HEAD, "repo": {"full_name": "another/handbook"}}},
        {"head": {"sha": HEAD, "repo": None}},
        {"state": "closed"},
    ],
)
def test_another_head_another_fork_or_a_closed_one_is_left_alone(other: dict[str, Any]) -> None:
    assert found(Hub(pull(**other))) is None
    assert found(Hub()) is None


def test_a_renamed_branch_is_recognised_by_the_commit() -> None:
    hub = Hub()
    hub.elsewhere = [pull(7)]
    hub.pulls_by_number = {7: pull(7)}
    assert found(hub).number == 7


def test_a_renamed_owner_is_recognised_by_the_repositorys_number() -> None:
    event = replace(EVENT, run=RUN.model_copy(update={"head_repository_id": 2}))
    renamed = {"sha": HEAD, "repo": {"id": 2, "full_name": "new-name/handbook"}}
    hub = Hub()
    hub.elsewhere = [pull(7, head=renamed)]
    hub.pulls_by_number = {7: pull(7, head=renamed)}
    assert found(hub, event).number == 7


def test_who_took_a_name_that_was_given_up_is_somebody_else() -> None:
    event = replace(EVENT, run=RUN.model_copy(update={"head_repository_id": 2}))
    taken = {"sha": HEAD, "repo": {"id": 9, "full_name": "stranger/handbook"}}
    assert found(Hub(pull(7, head=taken)), event) is None


def test_a_newer_head_under_the_same_name_is_not_looked_for_elsewhere() -> None:
    hub = Hub(pull(7, head={"sha": TIP, "repo": {"full_name": "stranger/handbook"}}))
    hub.elsewhere = [pull(8)]
    assert found(hub) is None


def test_of_two_proposals_the_default_branchs_counts() -> None:
    pages = pull(3, base={"ref": "gh-pages", "sha": "0" * 40})
    assert found(Hub(pages, pull(7))).number == 7


def test_the_same_commit_on_another_branch_gets_no_easier_rules() -> None:
    hub = Hub(pull(3, base={"ref": "main-v1", "sha": "0" * 40}, merge_commit_sha=MERGE))
    assert found(hub).number == 3
    hub.elsewhere = [pull(7, state="closed")]
    assert found(hub).number == 3
    hub.elsewhere = [pull(7)]
    assert found(hub) is None


def test_a_branch_that_cannot_be_read_is_no_decision() -> None:
    with pytest.raises(BaseUnreadableError):
        found(Hub(pull(base={"ref": "gone", "sha": "0" * 40}, merge_commit_sha=None)))


def test_a_group_of_the_queue_is_judged_by_the_default_branch() -> None:
    event = replace(EVENT, run=RUN.model_copy(update={"event": "merge_group"}))
    change = found(Hub(), event)
    assert (change.number, change.base.sha, change.base.head) == (None, TIP, HEAD)


@pytest.mark.parametrize("event", ["push", "schedule", "issue_comment", "pull_request_target"])
def test_a_run_of_another_event_is_refused(event: str) -> None:
    with pytest.raises(UsageError):
        found(Hub(pull()), replace(EVENT, run=RUN.model_copy(update={"event": event})))


# Whose run it is: by the repository's number where both sides know it, else by its name.


def run_of(number: int) -> RunRef:
    return RUN.model_copy(update={"head_repository": "octo/fork", "head_repository_id": number})


@pytest.mark.parametrize(
    ("ours", "theirs", "name", "same"),
    [
        (7, 7, "octo/renamed", True),
        (7, 8, "octo/fork", False),
        (0, 7, "octo/fork", True),
        (7, None, "octo/fork", True),
        (0, None, "octo/other", False),
    ],
)
def test_the_number_decides_where_both_sides_know_it(
    ours: int, theirs: int | None, name: str, same: bool
):
    assert _is_source(run_of(ours), {"id": theirs, "full_name": name}) is same
