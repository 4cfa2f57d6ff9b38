"""Comment commands as the runner starts them: by whom, for which commit, with which effect."""

from __future__ import annotations

import json

import pytest

from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.talk import judged, replies, say, sticky
from tests.servers.github_stub import Account

pytestmark = pytest.mark.e2e

BROKEN = range(12)


@pytest.fixture
def red(forge: Forge) -> Change:
    """A pull request that was judged and is red; its branch is there."""
    change = forge.change(outputs(broken=BROKEN))
    forge.github.git.move("change", change.head)
    assert judged(forge, change).exit_code == 1
    return change


def accept(change: Change, metrics: str = "hit_rate@5 token_f1") -> str:
    return f'/ragate accept {change.head[:7]} {metrics} "the pages were merged"'


def test_a_maintainer_accepts_a_drop_at_one_commit_without_a_call(forge: Forge, red: Change):
    result = say(forge, accept(red))

    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "passed"
    assert result.outputs["model-calls"] == "0"
    assert forge.states(red.head) == ["pending", "failure", "success"]
    assert "accepted by a maintainer" in sticky(forge)
    (reply,) = replies(forge)
    assert reply.startswith("<!-- ragate-accept:1 gate=gate sha=")
    assert "the pages were merged" in reply


def test_accepting_one_of_two_drops_leaves_it_red(forge: Forge, red: Change):
    result = say(forge, accept(red, "hit_rate@5"))

    assert (result.exit_code, result.outputs["verdict"]) == (0, "failed")
    assert forge.states(red.head)[-1] == "failure"
    assert say(forge, accept(red, "token_f1")).outputs["verdict"] == "passed"
    assert forge.states(red.head)[-1] == "success"


@pytest.mark.parametrize("permission", ["read", "triage", None])
def test_a_reader_changes_nothing(forge: Forge, red: Change, permission: str | None):
    if permission:
        forge.github.permissions["reader"] = permission
    before = len(forge.github.writes())

    result = say(forge, accept(red), login="reader")

    assert result.exit_code == 0
    assert len(forge.github.writes()) == before
    assert forge.states(red.head)[-1] == "failure"


@pytest.mark.parametrize("status", [404, 500, 503])
def test_when_the_api_cannot_tell_who_may_nothing_is_done(forge: Forge, red: Change, status: int):
    forge.github.fault("GET", "/permission$", status=status, times=9)
    before = len(forge.github.writes())

    result = say(forge, accept(red))

    assert result.exit_code == (0 if status == 404 else 3)
    assert len(forge.github.writes()) == before


@pytest.mark.parametrize(
    "body",
    [
        "> {}",
        "please\n{}",
        "I would {}",
        " {}",
        "```\n{}\n```",
    ],
)
def test_a_quoted_or_embedded_command_does_nothing(forge: Forge, red: Change, body: str):
    before = len(forge.github.writes())

    say(forge, body.format(accept(red)))

    assert len(forge.github.writes()) == before


def test_an_edited_comment_and_a_bot_do_nothing(forge: Forge, red: Change):
    before = len(forge.github.writes())
    forge.github.permissions["helper[bot]"] = "admin"

    say(forge, accept(red), action="edited")
    say(forge, accept(red), login="helper[bot]")

    assert len(forge.github.writes()) == before


def test_another_commit_than_the_head_is_told_and_left_alone(forge: Forge, red: Change):
    say(forge, '/ragate accept c0ffee0 hit_rate@5 "looks fine"')

    (reply,) = replies(forge)
    assert "nothing done" in reply
    assert forge.states(red.head)[-1] == "failure"


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


def test_the_baseline_is_committed_once_on_top_of_the_judged_commit(forge: Forge, red: Change):
    say(forge, accept(red))
    result = say(forge, f"/ragate update-baseline {red.head[:7]}")

    new = forge.github.git.resolve("refs/heads/change")
    assert result.exit_code == 0, result.log
    assert forge.github.git.parents(new) == [red.head]
    assert forge.github.git.changed(red.head, new) == [("M", "baselines/gate.json")]
    entry = forge.github.git.entry(new, "baselines/gate.json")
    assert entry is not None
    baseline = json.loads(forge.github.git.read(entry.sha))
    assert [one["metric"] for one in baseline["accepted"]] == ["hit_rate@5", "token_f1"]
    assert forge.states(new) == ["success"]
    assert "Committed" in replies(forge)[-1]


def test_a_red_commit_keeps_its_status_when_only_the_baseline_is_new(forge: Forge, red: Change):
    say(forge, f"/ragate update-baseline {red.head[:7]}")

    new = forge.github.git.resolve("refs/heads/change")
    assert new != red.head
    assert forge.states(new) == ["failure"]


def test_the_reply_says_which_checks_the_new_commit_does_not_start(forge: Forge, red: Change):
    forge.github.statuses[red.head].append({"context": "ci/lint", "state": "success"})

    say(forge, f"/ragate update-baseline {red.head[:7]}")

    told = replies(forge)[-1]
    assert "starts no other workflow" in told
    assert "ci/lint" in told
    assert "close and reopen" in told


def test_a_token_of_a_person_starts_the_checks_and_nothing_is_said(forge: Forge, red: Change):
    forge.github.accounts["ghp_personal"] = Account("octocat", "User", asks_who=True)

    say(forge, f"/ragate update-baseline {red.head[:7]}", token="ghp_personal")

    told = "".join(str(one["body"]) for one in forge.github.comments[7])
    assert "Committed" in told
    assert "close and reopen" not in told


def test_the_default_branch_itself_takes_no_commit_from_a_comment(forge: Forge, red: Change):
    """A pull request from main into a release."""
    red.pull["head"]["ref"] = "main"
    forge.github.git.move("main", red.head, forge.base)

    result = say(forge, f"/ragate update-baseline {red.head[:7]}")

    assert result.exit_code == 0, result.log
    assert forge.github.git.resolve("refs/heads/main") == red.head
    assert "nobody would review it" in replies(forge)[-1]


@pytest.mark.parametrize("after", [1, 2])
def test_a_head_that_moves_meanwhile_is_left_alone(forge: Forge, red: Change, after: int):
    moved = forge.github.commit({"x": b"x"}, parents=[red.head])
    forge.github.git.move("change", moved, red.head)

    result = say(forge, f"/ragate update-baseline {red.head[:7]}")

    assert result.exit_code == 0
    assert forge.github.git.resolve("refs/heads/change") == moved
    assert "nothing is written" in replies(forge)[-1]


def test_on_a_fork_the_reply_is_a_patch_that_applies(forge: Forge, red: Change):
    red.pull["head"]["repo"] = {"id": 2, "full_name": "mallory/handbook"}

    say(forge, f"/ragate update-baseline {red.head[:7]}")

    assert forge.github.git.resolve("refs/heads/change") == red.head
    reply = replies(forge)[-1]
    assert "fork" in reply
    if "diff" in reply:
        patch = reply.split("diff\n", 1)[1].rsplit("\n", 1)[0]
        workspace = forge.checkout(red.head)
        import subprocess

        subprocess.run(
            ["git", "apply", "-"], cwd=workspace, input=f"{patch}\n".encode(), check=True
        )


def test_a_rerun_starts_the_run_of_this_commit_again(forge: Forge, red: Change):
    say(forge, f"/ragate rerun {red.head[:7]}")

    assert forge.github.runs[1]["run_attempt"] == 2
    assert "Attempt 2" in replies(forge)[-1]


def test_a_rerun_that_github_refuses_is_told(forge: Forge, red: Change):
    forge.github.fault("POST", "/rerun$", status=403, message="Resource not accessible")

    result = say(forge, f"/ragate rerun {red.head[:7]}")

    assert result.exit_code == 0, result.log
    assert "actions: write" in replies(forge)[-1]
    assert forge.github.runs[1]["run_attempt"] == 1


def test_three_reruns_of_a_red_commit_stay_red(forge: Forge, red: Change):
    for attempt in (2, 3, 4):
        say(forge, f"/ragate rerun {red.head[:7]}")
        assert judged(forge, red, attempt=attempt).exit_code == 1
    assert forge.states(red.head)[-1] == "failure"


def test_help_and_a_wrong_command_tell_the_commands(forge: Forge, red: Change):
    say(forge, "/ragate help")
    say(forge, "/ragate acept everything")

    told, wrong = replies(forge)
    assert "/ragate accept SHA METRIC" in told
    assert "no command" in wrong


def test_run_says_when_nothing_waits(forge: Forge, red: Change):
    result = say(forge, f"/ragate run {red.head[:7]}")

    assert result.exit_code == 0, result.log
    assert "No model request waits" in replies(forge)[-1]
