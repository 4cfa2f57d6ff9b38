"""One commit, several pull requests: none of them is a side entrance for another."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from tests.e2e.action.edited_projects import lenient
from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.test_edited_pull import weak

pytestmark = pytest.mark.e2e

FORK = "stranger/handbook"
BROKEN = range(12)


@pytest.fixture(scope="module")
def judged_red(earlier: Forge) -> Change:
    """A fork's pull request to main that the second half has made red."""
    change = earlier.change(outputs(broken=BROKEN), fork=FORK)
    assert earlier.decide(change, earlier.collected(change)).exit_code == 1
    return change


def second(forge: Forge, change: Change, base: str, ref: str) -> Change:
    """Propose the same commit to another branch, from another branch of the fork."""
    pull = forge.github.add_pull(
        8, head=change.head, base=base, head_ref="side", head_repository=FORK
    )
    pull["base"] |= {"ref": ref}
    merge = forge.github.commit(outputs(broken=BROKEN), parents=[base, change.head])
    pull["merge_commit_sha"] = merge
    return Change(8, base, change.head, merge, pull)


def test_a_forks_commit_through_a_second_pull_request_into_a_weak_branch_stays_red(
    forge: Forge, gated: dict[str, bytes], red: Change
) -> None:
    side = second(forge, red, weak(forge, lenient(gated)), "weak")
    lines = forge.collected(side)

    result = forge.decide(side, lines)

    assert forge.github.git.resolve("refs/heads/weak") == side.base
    assert result.outputs["verdict"] == "superseded", result.log
    assert forge.states(red.head) == ["pending", "failure"]


def test_a_commit_of_a_fork_has_no_pull_requests_of_its_own_at_github(
    forge: Forge, red: Change
) -> None:
    """The stand-in behaves as GitHub does, else the test above would prove nothing."""
    import httpx2

    at = f"{forge.github.url}/repos/{forge.github.name}/commits/{red.head}/pulls"
    token = next(iter(forge.github.accounts))
    assert httpx2.get(at, headers={"authorization": f"Bearer {token}"}).json() == []


def test_two_weak_branches_share_no_status(forge: Forge, gated: dict[str, bytes]) -> None:
    change = forge.change(outputs(), fork=FORK)
    first = replace(change, base=weak(forge, lenient(gated)))
    change.pull["base"] |= {"ref": "weak"}
    change.pull["mergeable"] = False
    second(forge, change, weak(forge, {"x": b"x"}, "release"), "release")
    lines = forge.collected(first)

    result = forge.decide(first, lines)

    assert result.exit_code == 3, result.log
    assert "is proposed to 'weak' and to 'release'" in result.raw_log
    assert forge.states(change.head) == ["pending", "error"]


def test_a_check_of_a_commit_that_main_judges_sets_no_status(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    main = forge.change(outputs(broken=BROKEN))
    assert forge.check(main).exit_code == 1
    side = second(forge, main, weak(forge, lenient(gated)), "weak")

    result = forge.check(side)

    assert result.exit_code == 3, result.log
    assert forge.states(main.head) == ["pending", "failure"]


def judged_for_weak(forge: Forge, gated: dict[str, bytes]) -> Change:
    """Return a fork's commit that is green by the rules of a weak branch."""
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    tip = weak(forge, lenient(gated))
    change.pull["base"] |= {"ref": "weak", "sha": tip}
    change.pull["mergeable"] = False
    lines = forge.collected(change)
    assert forge.decide(change, lines).exit_code == 0
    assert forge.states(change.head)[-1] == "success"
    return change


def later(change: Change) -> None:
    """Let a minute go by until the next event of the pull request."""
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=1)
    change.pull["updated_at"] = soon.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("action", "changes", "state"),
    [
        ("edited", {"base": {"ref": {"from": "weak"}}}, "pending"),
        ("opened", {}, "pending"),
        ("reopened", {}, "pending"),
        ("edited", {"title": {"from": "a"}}, "success"),
        ("labeled", {}, "success"),
    ],
)
def test_a_verdict_from_before_a_pull_request_came_to_a_branch_waits_for_a_new_one(
    forge: Forge, gated: dict[str, bytes], action: str, changes: dict[str, object], state: str
) -> None:
    change = judged_for_weak(forge, gated)
    change.pull["base"] |= {"ref": "main", "sha": forge.base}
    later(change)

    result = forge.target(change, action, changes=changes)

    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "superseded"
    assert forge.states(change.head)[-1] == state


def test_a_verdict_from_after_the_event_stands(forge: Forge, red: Change) -> None:
    red.pull["updated_at"] = "2020-01-01T00:00:00Z"

    forge.target(red, "reopened")

    assert forge.states(red.head)[-1] == "failure"


def test_a_second_pull_request_into_a_weak_branch_takes_no_verdict_of_main_back(
    forge: Forge, gated: dict[str, bytes], red: Change
) -> None:
    side = second(forge, red, weak(forge, lenient(gated)), "weak")
    later(side)

    forge.target(side, "opened")

    assert forge.states(red.head) == ["pending", "failure"]
