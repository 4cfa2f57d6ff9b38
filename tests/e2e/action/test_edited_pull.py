"""Pull requests that are pointed at another branch, and bases that move between the halves."""

from __future__ import annotations

import pytest

from tests.container.runner import StepResult
from tests.e2e.action.edited_projects import lenient
from tests.e2e.action.forge import Change, Files, Forge, outputs
from tests.e2e.action.talk import judged, replies, say

pytestmark = pytest.mark.e2e


FORK = "stranger/handbook"


BROKEN = range(12)


WITHOUT: Files = {"ragate.toml": None}


def weak(forge: Forge, files: Files, name: str = "weak") -> str:
    """Make a branch beside main whose gate is another one, or none."""
    return forge.github.commit(files, parents=[forge.base], branch=name)


def merged_into(forge: Forge, change: Change, base: str, files: Files) -> str:
    """Have GitHub still name a merge with another commit than the base's tip."""
    change.merge = forge.github.commit(files, parents=[base, change.head], message="stale")
    change.pull |= {"merge_commit_sha": change.merge, "mergeable": False}
    return change.merge


@pytest.mark.parametrize("kind", ["no gate", "a weak gate"])
def test_a_retarget_between_the_halves_stays_red(
    forge: Forge, gated: dict[str, bytes], kind: str
) -> None:
    other = weak(forge, WITHOUT if kind == "no gate" else lenient(gated))
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    lines = forge.collected(change)
    merged_into(
        forge, change, other, {**outputs(broken=BROKEN), "ragate.toml": gated["ragate.toml"]}
    )

    result = forge.decide(change, lines, inputs={"gate": "gate"})

    assert result.exit_code == 1, result.log
    assert result.outputs["verdict"] == "failed"
    assert forge.states(change.head)[-1] == "failure"


def rerun_of_old_event(forge: Forge) -> tuple[Change, StepResult]:
    """Judge again by the event of when the pull request was one to a branch without a gate."""
    main, pages = forge.base, weak(forge, WITHOUT)
    forge.base = pages
    change = forge.change(dict(outputs(broken=BROKEN)))
    payload = forge.payload(change)
    payload["pull_request"] = {
        **change.pull,
        "base": {**change.pull["base"], "ref": "weak", "sha": pages},
    }
    forge.base = main
    return change, forge.check(change, payload=payload)


def test_an_old_run_does_not_judge_a_pull_request_that_was_retargeted(forge: Forge) -> None:
    change, result = rerun_of_old_event(forge)

    assert result.exit_code == 3, result.log
    assert "not of the branch 'main'" in result.raw_log
    assert forge.states(change.head) == []


def test_a_result_with_another_base_is_not_accepted_on(forge: Forge) -> None:
    main = forge.base
    forge.base = weak(forge, {"x": b"x"}, "release")
    change = forge.change(outputs(broken=BROKEN))
    change.pull["base"] |= {"ref": "release", "sha": forge.base}
    assert judged(forge, change).exit_code == 1
    forge.base = main
    change.pull["base"] |= {"ref": "main", "sha": main}

    say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "the pages were merged"')

    (reply,) = replies(forge)
    assert "No result of the gate" in reply
    assert forge.states(change.head)[-1] == "failure"


def edited(forge: Forge, change: Change, **changes: object) -> StepResult:
    payload = {**forge.payload(change), "action": "edited", "changes": changes}
    return forge.check(change, payload=payload, run_id=2, inputs={"gate": "gate"})


@pytest.mark.parametrize(("broken", "code"), [(range(0), 0), (BROKEN, 1)])
def test_a_new_title_keeps_the_verdict_without_a_run(
    forge: Forge, broken: range, code: int
) -> None:
    change = forge.change(outputs(broken=broken))
    assert judged(forge, change).exit_code == code
    before = len(forge.github.writes())

    result = edited(forge, change, title={"from": "a"})

    assert (result.exit_code, result.outputs["verdict"]) == (code, "kept"), result.log
    assert len(forge.github.writes()) == before
    assert not (forge.last / ".ragate/runs").exists()


@pytest.mark.parametrize("case", ["not kept", "pending", "base moved", "base changed"])
def test_an_edit_without_a_verdict_that_stands_is_judged(forge: Forge, case: str) -> None:
    change = forge.change(outputs())
    if case == "not kept":
        assert forge.check(change).exit_code == 0
    else:
        assert judged(forge, change).exit_code == 0
    if case == "pending":
        forge.github.statuses[change.head][-1]["state"] = "pending"
    if case == "base moved":
        tip = forge.github.commit({"README.md": b"new"}, parents=[forge.base])
        assert forge.github.git.move("main", tip, forge.base)
    changes = {"base": {"ref": {"from": "weak"}}} if case == "base changed" else {}

    result = edited(forge, change, **changes)

    assert result.outputs["verdict"] == "passed", result.log
