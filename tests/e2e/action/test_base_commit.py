"""Which base a change is judged against, and what happens where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.container.runner import StepResult
from tests.e2e.action.base_projects import Files, python_files, python_head
from tests.e2e.action.forge import Change, Forge, outputs

pytestmark = pytest.mark.e2e


BROKEN = range(12)


def test_a_shallow_clone_reads_the_base_by_the_api(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN))
    result = forge.check(change, depth=1)
    assert result.exit_code == 1, result.log
    found = forge.report()
    assert (found["head"], found["base"]) == (change.head, forge.base)


def test_a_base_that_cannot_be_read_is_no_decision(forge: Forge) -> None:
    forge.github.fault("GET", r"/git/trees/", status=500, times=99)
    result = forge.check(forge.change(outputs()), depth=1)
    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "error"
    result = forge.check(forge.change(outputs()), depth=1, token="")
    assert result.exit_code == 3, result.log
    assert "fetch-depth: 2" in result.raw_log


def test_a_404_alone_is_no_proof_that_the_base_has_no_gate(forge: Forge) -> None:
    forge.github.fault("GET", r"/git/trees/", status=404, times=99)
    forge.github.fault("GET", r"/contents/", status=404, times=99)
    result = forge.check(forge.change(outputs()), depth=1)
    assert result.exit_code == 3, result.log


@pytest.mark.parametrize("depth", [1, 2])
def test_the_first_pull_request_is_measured_and_does_not_block(
    forge: Forge, gated: Files, depth: int
) -> None:
    forge.github.git.run("update-ref", "-d", "refs/heads/main")
    forge.start({"README.md": b"nothing yet"})
    change = forge.change({**gated, **outputs(broken=BROKEN)})
    result = forge.check(change, depth=depth)
    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "bootstrap"
    assert result.outputs["passed"] == "true"
    assert forge.states(change.head) == ["pending", "success"]
    found = forge.report()
    assert any("fell" in reason or "minimum" in reason for reason in found["decision"]["reasons"])
    floors = {row["metric"]: row["limit"] for row in found["suggested_floors"]}
    assert 0.3 < floors["hit_rate@5"] < 0.6
    assert "Suggested limits" in forge.comment()


def test_a_gate_without_a_baseline_decides_nothing(forge: Forge, gated: Files) -> None:
    forge.github.git.run("update-ref", "-d", "refs/heads/main")
    forge.start({name: body for name, body in gated.items() if "baselines" not in name})
    result = forge.check(forge.change({"README.md": b"x"}))
    assert result.exit_code == 3, result.log
    assert "no baseline yet" in result.log
    assert "the workflow of mode baseline records baselines/gate.json on main" in result.log


@pytest.mark.parametrize("text", [b"[policy\n", b"[policy]\nalhpa = 1\n", None])
def test_a_head_policy_that_cannot_be_read_is_an_error_and_told_on_its_commit(
    forge: Forge, text: bytes | None
) -> None:
    change = forge.change({"ragate.toml": text})
    result = forge.check(change)
    assert result.exit_code == 2, result.log
    assert result.outputs["verdict"] == "error"
    assert forge.states(change.head) == ["pending", "error"]


def test_the_head_in_place_of_the_merge_is_refused_with_the_remedy(forge: Forge) -> None:
    change = forge.change(outputs())
    result = forge.check(change, workspace=forge.checkout(change.head))
    assert result.exit_code == 2, result.log
    assert "without `ref:`" in result.raw_log


def test_a_merge_of_another_head_is_refused(forge: Forge) -> None:
    change = forge.change(outputs())
    payload = forge.payload(change)
    payload["pull_request"] = {
        **change.pull,
        "head": {**change.pull["head"], "sha": forge.base},
    }
    result = forge.check(change, payload=payload)
    assert result.exit_code == 2, result.log


def pushed(forge: Forge, change: Change, commit: str, *, branch: str) -> StepResult:
    """Run the step on a push of a commit to a branch."""
    return forge.check(
        change,
        event_name="push",
        payload={"repository": forge.repository(), "after": commit},
        sha=commit,
        workspace=forge.checkout(commit),
        ref=f"refs/heads/{branch}",
    )


def test_a_push_is_judged_by_its_own_rules(forge: Forge) -> None:
    change = forge.change(outputs())
    result = pushed(forge, change, forge.base, branch="main")
    assert result.exit_code == 0, result.log
    assert forge.states(forge.base) == ["pending", "success"]
    assert forge.report()["rules_differ"] == []


def test_a_push_to_another_branch_sets_no_status_by_rules_of_its_own(
    forge: Forge, gated: Files
) -> None:
    weak = gated["ragate.toml"].replace(b'level = "error"', b'level = "error"\nmax_drop = 0.9')
    change = forge.change({**outputs(broken=BROKEN), "ragate.toml": weak})
    assert forge.check(change).exit_code == 1
    result = pushed(forge, change, change.head, branch="change")
    assert result.exit_code == 0, result.log
    assert result.log.count("no status is set here") == 1
    assert forge.states(change.head) == ["pending", "failure"]


def test_a_group_of_the_merge_queue_is_judged_by_its_base(forge: Forge, gated: Files) -> None:
    weak = gated["ragate.toml"].replace(b'level = "error"', b'level = "error"\nmax_drop = 0.9')
    change = forge.change({**outputs(broken=BROKEN), "ragate.toml": weak})
    group = {
        "base_sha": forge.base,
        "head_sha": change.merge,
        "base_ref": "refs/heads/main",
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7",
    }
    payload = {
        "action": "checks_requested",
        "merge_group": group,
        "repository": forge.repository(),
    }
    result = forge.check(change, event_name="merge_group", payload=payload)
    assert result.exit_code == 1, result.log
    assert forge.states(change.merge) == ["pending", "failure"]


def test_a_privileged_event_says_of_the_base_nothing_on_the_pull_request(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN))
    result = forge.check(
        change,
        event_name="pull_request_target",
        sha=forge.base,
        workspace=forge.checkout(forge.base),
        ref="refs/heads/main",
    )
    assert result.exit_code == 0, result.log
    assert forge.states(change.head) == []
    assert not forge.github.comments[change.number]


def test_a_privileged_event_sets_no_status_on_another_branch(forge: Forge, gated: Files) -> None:
    weak = gated["ragate.toml"].replace(b'level = "error"', b'level = "error"\nmax_drop = 0.9')
    change = forge.change({**outputs(broken=BROKEN), "ragate.toml": weak})
    assert forge.check(change).exit_code == 1
    onto_it = forge.change({"README.md": b"x"}, number=8)
    onto_it.pull["base"]["ref"] = "change"
    result = forge.check(
        onto_it,
        event_name="pull_request_target",
        sha=change.head,
        workspace=forge.checkout(change.head),
        ref="refs/heads/change",
    )
    assert result.exit_code == 0, result.log
    assert forge.states(change.head) == ["pending", "failure"]


@pytest.mark.parametrize("mode", ["check", "collect"])
def test_privileged_events_evaluate_nothing_of_a_pull_request(
    forge: Forge, gated: Files, mode: str
) -> None:
    change = forge.change(outputs())
    payload = forge.payload(change)
    for workspace in (forge.checkout(change.merge), forge.checkout(change.head), overlaid(forge)):
        result = forge.check(
            change,
            event_name="pull_request_target",
            payload=payload,
            sha=forge.base,
            workspace=workspace,
            inputs={"mode": mode, "allow-code": "true"},
        )
        assert result.exit_code == 2, result.log
        assert result.outputs["verdict"] == "error"
        assert not (workspace / ".ragate" / "runs").exists()
        assert forge.states(change.head) == []


def overlaid(forge: Forge) -> Path:
    """Return the base with files of a pull request put over it."""
    workspace = forge.checkout(forge.base)
    (workspace / "outputs" / "run9.jsonl").write_text("{}\n")
    return workspace


def test_a_branch_without_a_gate_is_no_way_round_the_one_that_has_it(forge: Forge) -> None:
    pages = forge.github.commit({"index.html": b"hello"}, branch="gh-pages")
    gated, forge.base = forge.base, pages
    change = forge.change(project(forge, gated))
    change.pull["base"] |= {"ref": "gh-pages"}
    result = forge.check(change)
    assert result.exit_code == 3, result.raw_log
    assert "success" not in forge.states(change.head)


def project(forge: Forge, sha: str) -> Files:
    tree = forge.github.git.listed(forge.github.git.tree_of(sha), recursive=True)
    return {one.path: forge.github.git.read(one.sha) for one in tree if one.type == "blob"}


def test_a_job_that_is_cancelled_says_so_and_gives_no_verdict(
    forge: Forge, gated: Files, tmp_path: Path
) -> None:
    marker = tmp_path / "asked"
    own = python_files(gated)
    files = python_head(own, tmp_path / "unused")
    files["rag.py"] = (
        "import pathlib, time\n"
        f"def answer(query):\n    pathlib.Path({str(marker)!r}).touch()\n    time.sleep(60)\n"
    ).encode()
    forge.base = forge.github.commit({**own, **files}, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    change = forge.change({"README.md": b"x"})
    # No shell: one drops variables with a hyphen in their names.
    script = (
        "import pathlib, subprocess, sys, time\n"
        "step = subprocess.Popen([sys.executable, '-P', '-m', 'ragate.github'])\n"
        f"while not pathlib.Path({str(marker)!r}).exists(): time.sleep(0.1)\n"
        "step.terminate()\n"
        "sys.exit(step.wait())\n"
    )
    command = [sys.executable, "-c", script]
    result = forge.check(change, inputs={"allow-code": "true"}, entrypoint=command, timeout=60)
    assert result.exit_code == 130, result.raw_log
    assert result.outputs["verdict"] == "error"
    assert forge.states(change.head) == ["pending", "error"]
