"""A pull request from a fork with another's head commit takes no green status back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.action.edited_projects import lenient
from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.talk import judged, upload
from tests.e2e.action.test_edited_pull import weak
from tests.e2e.action.test_shared_commit import later

pytestmark = pytest.mark.e2e

FORK = "stranger/handbook"
BROKEN = range(12)
Pull = dict[str, Any]


def stranger(forge: Forge, change: Change, *, number: int = 8) -> Change:
    """Let a fork propose the same commit a minute later."""
    pull = forge.github.add_pull(
        number, head=change.head, base=change.base, head_ref=f"x{number}", head_repository=FORK
    )
    pull["merge_commit_sha"] = change.merge
    made = Change(number, change.base, change.head, change.merge, pull)
    later(made)
    return made


def decided(forge: Forge, change: Change, run_id: int, **options: Any) -> str:
    """Collect and decide a pull request, upload the result, and return the verdict."""
    lines = forge.collected(change)
    result = forge.decide(change, lines, run_id=run_id, **options)
    forge.github.add_run(run_id, head_sha=forge.base, event="workflow_run")
    upload(forge, run_id, f"ragate-gate-{change.head}-1", forge.last / ".ragate/result")
    return result.outputs["verdict"]


@pytest.fixture(scope="module")
def by_decide(earlier: Forge) -> Change:
    change = earlier.change(outputs())
    assert decided(earlier, change, 21) == "passed"
    return change


@pytest.fixture
def decided_green(forge: Forge, earlier: Forge, by_decide: Change) -> Change:
    """A pull request of the repository itself that the half with keys made green."""
    return forge.again(earlier, by_decide)


@pytest.fixture(params=["check", "decide"])
def green(forge: Forge, request: pytest.FixtureRequest) -> Change:
    """A pull request of the repository itself that its own run made green."""
    if request.param == "decide":
        made: Change = request.getfixturevalue("decided_green")
        return made
    change = forge.change(outputs())
    assert judged(forge, change, run_id=21).exit_code == 0
    assert forge.states(change.head) == ["pending", "success"]
    return change


def test_a_fork_that_opens_later_leaves_the_status_green(forge: Forge, green: Change) -> None:
    forge.target(stranger(forge, green), "opened")
    forge.target(stranger(forge, green, number=9), "reopened")

    assert forge.states(green.head) == ["pending", "success"]


def test_a_fork_that_was_there_first_leaves_the_status_green_when_it_comes_again(
    forge: Forge,
) -> None:
    change = forge.change(outputs())
    first = stranger(forge, change, number=6)
    forge.target(first, "opened")
    assert decided(forge, change, 21) == "passed"
    later(first)

    forge.target(first, "reopened")

    assert forge.states(change.head) == ["pending", "success"]


def test_a_retarget_of_the_fork_to_the_same_branch_leaves_the_status_green(
    forge: Forge, green: Change
) -> None:
    side = stranger(forge, green)

    forge.target(side, "edited", changes={"base": {"ref": {"from": "weak"}}})

    assert forge.states(green.head) == ["pending", "success"]


def test_what_a_fork_collects_of_a_commit_that_is_green_is_neither_announced_nor_judged(
    forge: Forge, green: Change
) -> None:
    side = stranger(forge, green)
    broken = forge.change(outputs(broken=BROKEN), number=30)
    lines = forge.collected(broken)
    forge.github.add_run(99, head_sha=side.head, status="queued", head_repository=FORK)

    begun = forge.decide(side, None, action="requested")
    forge.github.runs[99]["status"] = "completed"
    result = forge.decide(side, lines)

    assert (begun.outputs["verdict"], result.outputs["verdict"]) == ("superseded", "superseded")
    assert forge.states(green.head) == ["pending", "success"]
    assert not forge.github.comments[side.number]


def closed(forge: Forge, change: Change) -> None:
    change.pull["state"] = "closed"


def of_another_branch(forge: Forge, change: Change) -> None:
    forge.github.commit({"x": b"x"}, parents=[forge.base], branch="release")
    change.pull["base"]["ref"] = "release"


def of_another_commit(forge: Forge, change: Change) -> None:
    change.pull["head"]["sha"] = forge.base


def of_a_fork(forge: Forge, change: Change) -> None:
    change.pull["head"]["repo"] = {"id": 3, "full_name": "friend/handbook"}


def of_a_fork_with_the_name_of_the_repository(forge: Forge, change: Change) -> None:
    change.pull["head"]["repo"] = {"id": 3, "full_name": forge.github.name}


def of_a_deleted_fork(forge: Forge, change: Change) -> None:
    change.pull["head"]["repo"] = None


def with_a_result_of_another_pull(forge: Forge, change: Change) -> None:
    change.pull["number"] = 5
    forge.github.pulls[5] = forge.github.pulls.pop(7)


def with_a_result_that_is_not_kept(forge: Forge, change: Change) -> None:
    forge.github.artifacts.clear()


def with_a_result_of_another_gate(forge: Forge, change: Change) -> None:
    for status in forge.github.statuses[change.head]:
        status["target_url"] = "https://github.com/octo-org/handbook/actions/runs/22/attempts/1"


def with_a_result_that_cannot_be_unpacked(forge: Forge, change: Change) -> None:
    for made in forge.github.files:
        forge.github.files[made] = b"no zip"


def with_an_api_that_lists_no_run(forge: Forge, change: Change) -> None:
    forge.github.fault("GET", r"/actions/runs/21$", status=500, times=99)


def with_an_api_that_lists_no_pulls(forge: Forge, change: Change) -> None:
    forge.github.fault("GET", r"/pulls$", status=403, times=99)


@pytest.mark.parametrize(
    "lessen",
    [
        closed,
        of_another_branch,
        of_another_commit,
        of_a_fork,
        of_a_fork_with_the_name_of_the_repository,
        of_a_deleted_fork,
        with_a_result_of_another_pull,
        with_a_result_that_is_not_kept,
        with_a_result_of_another_gate,
        with_a_result_that_cannot_be_unpacked,
        with_an_api_that_lists_no_run,
        with_an_api_that_lists_no_pulls,
    ],
)
def test_a_status_that_no_open_pull_request_from_here_earned_for_the_branch_waits(
    forge: Forge, decided_green: Change, lessen: Callable[[Forge, Change], None]
) -> None:
    side = stranger(forge, decided_green)
    lessen(forge, decided_green)

    forge.target(side, "opened")

    assert forge.states(side.head) == ["pending", "success", "pending"]


def test_a_verdict_for_a_weak_branch_does_not_stay_when_its_pull_request_is_at_main_by_now(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    change = forge.change(outputs(broken=BROKEN))
    change.pull["base"] |= {"ref": "weak", "sha": weak(forge, lenient(gated))}
    change.pull["mergeable"] = False
    assert decided(forge, change, 21) == "passed"
    change.pull["base"] |= {"ref": "main", "sha": forge.base}

    forge.target(stranger(forge, change), "opened")

    assert forge.states(change.head) == ["pending", "success", "pending"]


def test_several_forks_hold_no_status_for_each_other(forge: Forge) -> None:
    change = forge.change(outputs(), fork=FORK)
    assert decided(forge, change, 21) == "passed"

    forge.target(stranger(forge, change), "opened")

    assert forge.states(change.head) == ["pending", "success", "pending"]


def test_a_pull_request_from_here_earns_its_own_status_where_a_fork_was_green_before(
    forge: Forge,
) -> None:
    fork = forge.change(outputs(), number=6, fork=FORK)
    assert decided(forge, fork, 21) == "passed"
    pull = forge.github.add_pull(7, head=fork.head, base=fork.base)
    pull["merge_commit_sha"] = fork.merge
    own = Change(7, fork.base, fork.head, fork.merge, pull)
    later(own)

    forge.target(own, "opened")
    assert forge.states(own.head)[-1] == "pending"
    assert decided(forge, own, 22) == "passed"
    later(fork)
    forge.target(fork, "reopened")

    assert forge.states(own.head) == ["pending", "success", "pending", "pending", "success"]


def test_a_red_status_of_a_pull_request_from_here_is_not_made_green_by_a_fork(
    forge: Forge,
) -> None:
    change = forge.change(outputs(broken=BROKEN))
    assert decided(forge, change, 21) == "failed"
    side = stranger(forge, change)
    lines = forge.collected(forge.change(outputs(), number=30))

    forge.target(side, "opened")
    forge.decide(side, lines, run_id=22)

    assert "success" not in forge.states(change.head)


def test_its_own_runs_set_the_status_of_a_green_commit_anew(forge: Forge, green: Change) -> None:
    other = forge.github.add_pull(8, head=green.head, base=green.base, head_ref="y")
    other["merge_commit_sha"] = green.merge

    decided(forge, green, 23)

    assert forge.states(green.head) == ["pending", "success", "pending", "success"]
