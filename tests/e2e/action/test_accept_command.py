"""A drop is accepted by a comment."""

from __future__ import annotations

import pytest

from tests.e2e.action.command_projects import BROKEN, accept
from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.talk import judged, replies, say, sticky

pytestmark = pytest.mark.e2e


def test_a_maintainer_accepts_a_drop_at_one_commit_without_a_call(forge: Forge, red: Change):
    result = say(forge, accept(red))

    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "passed"
    assert result.outputs["model-calls"] == "0"
    assert forge.states(red.head) == ["pending", "failure", "success"]
    assert "worse, and accepted: hit_rate@5" in sticky(forge)
    assert "/golden.jsonl#L1" in sticky(forge)
    assert "<b>Changed here:</b>" in sticky(forge)
    (reply,) = replies(forge)
    assert reply.startswith("<!-- ragate-accept:1 gate=gate sha=")
    assert "the pages were merged" in reply


def test_accepting_one_of_two_drops_leaves_it_red(forge: Forge, red: Change):
    result = say(forge, accept(red, "hit_rate@5"))

    assert (result.exit_code, result.outputs["verdict"]) == (0, "failed")
    assert forge.states(red.head)[-1] == "failure"
    assert say(forge, accept(red, "token_f1")).outputs["verdict"] == "passed"
    assert forge.states(red.head)[-1] == "success"


def test_what_does_not_fail_cannot_be_accepted(forge: Forge, red: Change):
    say(forge, accept(red, "recall@5"))
    repaired = forge.change(outputs())
    judged(forge, repaired, run_id=2)
    say(forge, accept(repaired, "hit_rate@5"))

    unknown, idle = replies(forge)
    assert "is no metric that this gate can fail on" in unknown
    assert "there is nothing to accept" in idle


def test_an_accept_lapses_with_a_push_of_something_worse(forge: Forge, red: Change):
    say(forge, accept(red))
    worse = forge.change(outputs(broken=range(20)))

    assert judged(forge, worse, run_id=2).exit_code == 1
    assert forge.states(worse.head)[-1] == "failure"


def test_a_rerun_of_the_same_outputs_keeps_the_accept_and_other_outputs_do_not(
    forge: Forge, red: Change
):
    say(forge, accept(red))

    assert judged(forge, red, run_id=1, attempt=2).exit_code == 0

    reply = next(one for one in forge.github.comments[7] if "ragate-accept" in one["body"])
    forge.github.comments[7].remove(reply)
    assert judged(forge, red, run_id=1, attempt=3).exit_code == 1


def test_an_accept_counts_no_more_when_its_giver_may_not_write(forge: Forge, red: Change):
    forge.github.permissions["mona"] = "write"
    assert say(forge, accept(red), login="mona").outputs["verdict"] == "passed"
    forge.github.permissions["mona"] = "read"

    assert judged(forge, red, attempt=2).exit_code == 1


def test_the_same_comment_twice_has_one_effect(forge: Forge, red: Change):
    comment = forge.github.add_comment(7, accept(red), "octocat")

    say(forge, "", comment=comment)
    say(forge, "", comment=comment)

    assert len(replies(forge)) == 1
    assert forge.states(red.head)[-1] == "success"


def test_a_forged_artifact_of_a_fork_is_not_believed(forge: Forge):
    change = forge.change(outputs(broken=BROKEN), fork="mallory/handbook")
    result = judged(forge, change)
    assert result.exit_code == 1
    forge.github.runs[1]["head_repository"] = {"id": 2, "full_name": "mallory/handbook"}

    say(forge, accept(change))

    assert "No result of the gate" in replies(forge)[0]
    assert forge.states(change.head)[-1] == "failure"
