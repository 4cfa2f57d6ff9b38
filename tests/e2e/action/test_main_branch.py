"""Mode baseline on the default branch: what is recorded, when, and how it gets there."""

from __future__ import annotations

import json

import pytest

from tests.container.runner import run_step
from tests.e2e.action.forge import ROOT, Change, Forge, outputs
from tests.e2e.action.main_projects import baseline_of, merged, record
from tests.e2e.action.talk import judged, say

pytestmark = pytest.mark.e2e


CHANGED = range(12)


def test_a_protected_branch_gets_a_pull_request(forge: Forge):
    head = merged(forge, outputs(reworded=CHANGED))
    forge.github.fault("PATCH", "/git/refs/heads", status=422, message="Protected branch")

    result = record(forge)

    assert result.exit_code == 0, result.log
    assert forge.github.git.resolve("refs/heads/main") == head
    (pull,) = forge.github.pulls.values()
    assert pull["base"]["ref"] == "main"
    assert pull["head"]["ref"].startswith("ragate/baseline-gate-")
    assert baseline_of(forge, pull["head"]["sha"])["recorded"]["commit"] == head
    assert forge.states(pull["head"]["sha"]) == ["success"]  # no workflow starts for it


def test_a_branch_that_has_moved_is_left_to_its_newer_commit(forge: Forge):
    merge = merged(forge, outputs(reworded=CHANGED))
    workspace = forge.checkout(merge)
    newer = forge.github.commit({"x": b"x"}, parents=[merge], branch="")
    forge.github.git.move("main", newer, merge)

    result = run_step(
        ROOT,
        workspace=workspace,
        event_name="push",
        event={"ref": "refs/heads/main", "repository": forge.repository()},
        inputs={"mode": "baseline"},
        sha=merge,
        ref="refs/heads/main",
        api_url=forge.github.url,
    )

    assert result.exit_code == 0, result.log
    assert "has moved meanwhile" in result.log
    assert result.outputs["verdict"] == "kept"
    assert forge.github.git.resolve("refs/heads/main") == newer


def test_a_baseline_that_was_merged_is_recorded_anew_by_whatever_push(forge: Forge):
    merge = {"neither": [], "recordings": [{"commit": "a" * 40, "date": "2026-01-02"}]}
    noted = json.dumps({**baseline_of(forge), "merged": merge}).encode()
    forge.base = merged(forge, {"baselines/gate.json": noted})
    merged(forge, {"web/page.html": b"<p>hello</p>"})

    result = record(forge)

    assert result.outputs["verdict"] == "recorded", result.log
    assert "merged of two recordings" in result.log
    assert "merged" not in baseline_of(forge)


def test_another_branch_is_refused(forge: Forge):
    result = record(forge, ref="refs/heads/feature")

    assert result.exit_code == 2
    assert "default branch" in result.annotations("error")[0].data
    assert forge.github.writes() == []


def test_without_a_token_the_file_stays_in_the_workspace(forge: Forge):
    merged(forge, outputs(reworded=CHANGED))

    result = record(forge, inputs={"github-token": ""})

    assert (result.exit_code, result.outputs["verdict"]) == (0, "recorded"), result.log
    assert forge.github.writes() == []


def accepted(forge: Forge) -> Change:
    """Return a red change that a maintainer accepted and that was merged."""
    change = forge.change(outputs(broken=CHANGED))
    assert judged(forge, change).exit_code == 1
    say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "merged pages"')
    change.pull |= {"merged_at": "2026-11-20T12:00:00Z", "state": "closed"}
    return change


@pytest.fixture(scope="module")
def once_accepted(earlier: Forge) -> Change:
    return accepted(earlier)


@pytest.fixture
def change(forge: Forge, earlier: Forge, once_accepted: Change) -> Change:
    return forge.again(earlier, once_accepted)


def test_what_was_accepted_on_the_way_stands_in_the_baseline(forge: Forge, change: Change):
    forge.github.git.move("main", change.merge, forge.base)

    result = record(forge)

    assert result.outputs["verdict"] == "recorded", result.log
    taken = baseline_of(forge)["accepted"]
    assert [(one["metric"], one["by"]) for one in taken] == [
        ("hit_rate@5", "octocat"),
        ("token_f1", "octocat"),
    ]


def test_what_was_accepted_counts_where_another_pull_request_cannot_be_read(
    forge: Forge, change: Change
):
    before, forge.base = forge.base, change.merge
    other = forge.change({"web/page.html": b"<p>hello</p>"}, number=8)
    other.pull |= {"merged_at": "2026-11-20T12:00:00Z", "state": "closed"}
    forge.github.git.move("main", other.merge, before)
    forge.github.fault("GET", "/pulls/8$", status=404, times=99)

    result = record(forge, before=before)

    assert result.outputs["verdict"] == "recorded", result.log
    assert "what was accepted in pull request 8 could not be read" in result.raw_log
    assert [one["metric"] for one in baseline_of(forge)["accepted"]] == ["hit_rate@5", "token_f1"]


def test_what_was_accepted_counts_where_another_commit_of_the_push_came_after_it(
    forge: Forge, change: Change
):
    before, forge.base = forge.base, change.merge
    forge.github.git.move("main", merged(forge, {"web/page.html": b"<p>hello</p>"}), before)

    result = record(forge, before=before)

    assert result.outputs["verdict"] == "recorded", result.log
    assert [one["metric"] for one in baseline_of(forge)["accepted"]] == ["hit_rate@5", "token_f1"]


def test_a_forced_push_takes_over_nothing_of_what_came_before(forge: Forge, change: Change):
    dropped = forge.github.commit({"x": b"x"}, parents=[forge.base])
    forge.base = change.merge
    merged(forge, {"web/page.html": b"<p>hello</p>"})

    head = forge.github.git.resolve("refs/heads/main")

    result = record(forge, before=dropped)

    assert result.exit_code == 3, result.log
    (error,) = result.annotations("error")
    assert "hit_rate@5 fell by" in error.data
    assert "ragate baseline update --accept hit_rate@5 --accept token_f1" in error.data
    assert forge.github.git.resolve("refs/heads/main") == head


def test_what_was_accepted_counts_although_the_workflow_of_that_push_never_ran(forge: Forge):
    """Of three merges in a row GitHub cancels the second one's workflow while it waits."""
    forge.base = merged(forge, outputs(reworded=CHANGED))
    assert record(forge).outputs["verdict"] == "recorded"
    forge.base = forge.github.git.resolve("refs/heads/main")
    change = accepted(forge)
    forge.github.git.move("main", change.merge, forge.base)
    forge.base = change.merge
    merged(forge, {"web/page.html": b"<p>hello</p>"})

    result = record(forge, depth=9)

    assert result.outputs["verdict"] == "recorded", result.log
    assert [one["metric"] for one in baseline_of(forge)["accepted"]] == ["hit_rate@5", "token_f1"]


def test_a_broken_recording_commits_nothing_and_says_why(forge: Forge):
    files = {f"outputs/run{run}.jsonl": b'{"id": "q1", "error": "down"}\n' for run in range(3)}
    head = merged(forge, dict(files))

    result = record(forge)

    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "error"
    assert forge.github.git.resolve("refs/heads/main") == head
