"""Mode baseline on the default branch: what is recorded, when, and how it gets there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.container.runner import StepResult, run_step
from tests.e2e.action.forge import ROOT, Files, Forge, outputs
from tests.e2e.action.talk import judged, say

pytestmark = pytest.mark.e2e

BROKEN = range(12)


def record(
    forge: Forge,
    *,
    event: str = "push",
    ref: str = "refs/heads/main",
    before: str = "",
    **options: Any,
) -> StepResult:
    """Run the workflow of main on its newest commit, which a push brought after `before`."""
    head = forge.github.git.resolve("refs/heads/main")
    return run_step(
        ROOT,
        workspace=forge.checkout(head, depth=options.pop("depth", 2)),
        event_name=event,
        event={
            "ref": ref,
            "before": before or next(iter(forge.github.git.parents(head)), "0" * 40),
            "after": head,
            "repository": forge.repository(),
        },
        inputs={"mode": "baseline", **options.pop("inputs", {})},
        sha=head,
        ref=ref,
        api_url=forge.github.url,
        **options,
    )


def merged(forge: Forge, files: Files) -> str:
    """Put a commit on main."""
    return forge.github.commit(files, parents=[forge.base], branch="main")


def baseline_of(forge: Forge, ref: str = "refs/heads/main") -> dict[str, Any]:
    entry = forge.github.git.entry(ref, "baselines/gate.json")
    assert entry is not None
    found: dict[str, Any] = json.loads(forge.github.git.read(entry.sha))
    return found


def test_a_merge_that_changed_the_system_gets_a_new_baseline(forge: Forge):
    merge = merged(forge, outputs(broken=BROKEN))

    result = record(forge)

    new = forge.github.git.resolve("refs/heads/main")
    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "recorded"
    assert forge.github.git.parents(new) == [merge]
    assert baseline_of(forge)["recorded"]["commit"] == merge
    assert forge.states(new) == ["success"]
    assert record(forge).outputs["verdict"] == "kept"
    assert forge.github.git.resolve("refs/heads/main") == new


@pytest.fixture
def inputs_named(forge: Forge) -> Forge:
    policy = b'inputs = ["outputs/**"]\n'
    config = forge.github.git.read(_entry(forge, "ragate.toml"))
    text = config.replace(b"[policy]\n", b"[policy]\n" + policy, 1)
    forge.base = merged(forge, {"ragate.toml": text})
    return forge


def test_a_merge_that_touches_nothing_is_kept_without_a_run(inputs_named: Forge):
    forge = inputs_named
    head = merged(forge, {"web/page.html": b"<p>hello</p>"})

    result = record(forge)

    assert result.outputs["verdict"] == "kept", result.log
    assert "without a call" in result.log
    assert forge.github.git.resolve("refs/heads/main") == head


def many(forge: Forge, first: Files) -> tuple[str, str]:
    """Push two commits, of which the second touches nothing; return where main was and is."""
    before = forge.base
    forge.base = merged(forge, first)
    return before, merged(forge, {"web/page.html": b"<p>hello</p>"})


@pytest.mark.parametrize("depth", [1, 2, 9])
def test_all_commits_of_a_push_count_and_not_the_last_one_alone(inputs_named: Forge, depth: int):
    before, head = many(inputs_named, outputs(broken=BROKEN))

    result = record(inputs_named, before=before, depth=depth)

    assert result.outputs["verdict"] == "recorded", result.log
    assert "files of the system changed" in result.log
    assert baseline_of(inputs_named)["recorded"]["commit"] == head


def test_a_policy_that_an_earlier_commit_of_the_push_changed_counts(
    inputs_named: Forge, gated: dict[str, bytes]
):
    config = inputs_named.github.git.read(_entry(inputs_named, "ragate.toml"))
    before, _ = many(inputs_named, {"ragate.toml": config.replace(b"@5", b"@3")})
    restored = gated["baselines/gate.json"].replace(b"@5", b"@3")
    inputs_named.base = inputs_named.github.git.resolve("refs/heads/main")
    merged(inputs_named, {"baselines/gate.json": restored})

    result = record(inputs_named, before=before)

    assert result.outputs["verdict"] != "kept", result.log
    assert "the policy measures otherwise" in result.log


def test_many_commits_that_touch_nothing_are_kept(inputs_named: Forge):
    before, _ = many(inputs_named, {"README.md": b"a note"})

    assert record(inputs_named, before=before).outputs["verdict"] == "kept"


@pytest.mark.parametrize("before", ["0" * 40, "elsewhere"])
def test_a_push_whose_start_cannot_be_told_is_recorded(inputs_named: Forge, before: str):
    many(inputs_named, {"README.md": b"a note"})
    if before == "elsewhere":  # a forced push: what it dropped counts as well
        before = inputs_named.github.commit({"x": b"x"}, parents=[inputs_named.base])

    result = record(inputs_named, before=before)

    assert "what the push changed cannot be told" in result.log


def _entry(forge: Forge, path: str) -> str:
    entry = forge.github.git.entry("refs/heads/main", path)
    assert entry is not None
    return entry.sha


def test_a_protected_branch_gets_a_pull_request(forge: Forge):
    head = merged(forge, outputs(broken=BROKEN))
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
    merge = merged(forge, outputs(broken=BROKEN))
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


def test_another_branch_is_refused(forge: Forge):
    result = record(forge, ref="refs/heads/feature")

    assert result.exit_code == 2
    assert "default branch" in result.annotations("error")[0].data
    assert forge.github.writes() == []


def test_without_a_token_the_file_stays_in_the_workspace(forge: Forge):
    merged(forge, outputs(broken=BROKEN))

    result = record(forge, inputs={"github-token": ""})

    assert (result.exit_code, result.outputs["verdict"]) == (0, "recorded"), result.log
    assert forge.github.writes() == []


def test_what_was_accepted_on_the_way_stands_in_the_baseline(forge: Forge):
    change = forge.change(outputs(broken=BROKEN))
    assert judged(forge, change).exit_code == 1
    say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "merged pages"')
    change.pull |= {"merged_at": "2026-11-20T12:00:00Z", "state": "closed"}
    forge.github.git.move("main", change.merge, forge.base)

    result = record(forge)

    assert result.outputs["verdict"] == "recorded", result.log
    taken = baseline_of(forge)["accepted"]
    assert [(one["metric"], one["by"]) for one in taken] == [
        ("hit_rate@5", "octocat"),
        ("token_f1", "octocat"),
    ]


def test_what_was_accepted_counts_where_another_commit_of_the_push_came_after_it(forge: Forge):
    change = forge.change(outputs(broken=BROKEN))
    assert judged(forge, change).exit_code == 1
    say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "merged pages"')
    change.pull |= {"merged_at": "2026-11-20T12:00:00Z", "state": "closed"}
    before, forge.base = forge.base, change.merge
    forge.github.git.move("main", merged(forge, {"web/page.html": b"<p>hello</p>"}), before)

    result = record(forge, before=before)

    assert result.outputs["verdict"] == "recorded", result.log
    assert [one["metric"] for one in baseline_of(forge)["accepted"]] == ["hit_rate@5", "token_f1"]


def test_a_forced_push_takes_over_nothing_of_what_came_before(forge: Forge):
    change = forge.change(outputs(broken=BROKEN))
    assert judged(forge, change).exit_code == 1
    say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "merged pages"')
    change.pull |= {"merged_at": "2026-11-20T12:00:00Z", "state": "closed"}
    dropped = forge.github.commit({"x": b"x"}, parents=[forge.base])
    forge.base = change.merge
    merged(forge, {"web/page.html": b"<p>hello</p>"})

    result = record(forge, before=dropped)

    assert result.outputs["verdict"] == "recorded", result.log
    assert not baseline_of(forge).get("accepted")


def test_a_broken_recording_commits_nothing_and_says_why(forge: Forge):
    files = {f"outputs/run{run}.jsonl": b'{"id": "q1", "error": "down"}\n' for run in range(3)}
    head = merged(forge, dict(files))

    result = record(forge)

    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "error"
    assert forge.github.git.resolve("refs/heads/main") == head


def test_a_quiet_night_adds_a_run_until_the_noise_is_known_well(forge: Forge):
    for runs in (4, 5, 6, 6):
        result = record(forge, event="schedule")

        assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.log
        assert baseline_of(forge)["runs"] == runs


def test_a_night_with_drift_fails_and_changes_nothing(forge: Forge, gated: dict[str, bytes]):
    # The recordings stand for a service that answers otherwise, though no commit says so.
    files = dict(gated) | outputs(broken=BROKEN)
    forge.github.git.move("main", forge.github.commit(files), forge.base)

    result = record(forge, event="schedule")

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
