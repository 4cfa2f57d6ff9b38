"""The baseline is committed by a comment."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.e2e.action.command_projects import accept
from tests.e2e.action.forge import SAMPLES, Change, Forge, outputs
from tests.e2e.action.main_projects import baseline_of
from tests.e2e.action.talk import judged, replies, say
from tests.servers.github_stub import Account

pytestmark = pytest.mark.e2e


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


def test_what_could_never_get_worse_is_not_committed_unless_it_was_accepted(forge: Forge):
    change = forge.change(outputs(broken=range(SAMPLES)))
    forge.github.git.move("change", change.head)
    assert judged(forge, change).exit_code == 1

    result = say(forge, f"/ragate update-baseline {change.head[:7]}")

    assert result.exit_code == 0, result.log
    assert forge.github.git.resolve("refs/heads/change") == change.head
    told = replies(forge)[-1]
    assert "hit_rate@5: at its worst value" in told
    assert "token_f1: at its worst value" in told
    assert "ragate baseline update --accept hit_rate@5 --accept token_f1" in told

    say(forge, accept(change))
    say(forge, f"/ragate update-baseline {change.head[:7]}")

    assert "Committed" in replies(forge)[-1]


def noted(recorded: bytes) -> bytes:
    """The baseline as a merge of two recordings that both changed q3."""
    found = json.loads(recorded)
    del found["samples"]["q3"]
    sides = [{"commit": side * 40, "date": "2026-01-02"} for side in "ab"]
    return json.dumps({**found, "merged": {"neither": ["q3"], "recordings": sides}}).encode()


def marked(recorded: bytes) -> bytes:
    """The baseline as git left it in a conflict."""
    lines = recorded.decode().split("\n")
    marks = ["<<<<<<< HEAD", lines[2], "=======", lines[2], ">>>>>>> main"]
    return "\n".join([*lines[:2], *marks, *lines[3:]]).encode()


@pytest.mark.parametrize("resolved", [noted, marked])
def test_after_a_conflict_of_two_recordings_the_baseline_is_whole_again(
    forge: Forge, resolved: Callable[[bytes], bytes]
):
    entry = forge.github.git.entry("refs/heads/main", "baselines/gate.json")
    assert entry is not None
    left = resolved(forge.github.git.read(entry.sha))
    change = forge.change({**outputs(broken=range(12)), "baselines/gate.json": left})
    forge.github.git.move("change", change.head)
    assert judged(forge, change).exit_code == 1

    result = say(forge, f"/ragate update-baseline {change.head[:7]}")

    assert result.exit_code == 0, result.log
    assert "Committed" in replies(forge)[-1]
    baseline = baseline_of(forge, "refs/heads/change")
    assert "merged" not in baseline
    assert len(baseline["samples"]) == SAMPLES


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
