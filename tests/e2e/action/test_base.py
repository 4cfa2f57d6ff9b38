"""Which base a change is judged against, and what happens where there is none."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.action.forge import Change, Forge, git, outputs

pytestmark = pytest.mark.e2e
Files = dict[str, bytes]
BROKEN = range(12)


def report(forge: Forge, result: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((forge.last / result.outputs["report-json"]).read_text())
    return found


def test_a_shallow_clone_reads_the_base_by_the_api(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN))
    result = forge.check(change, depth=1)
    assert result.exit_code == 1, result.log
    found = report(forge, result)
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
    found = report(forge, result)
    assert found["proposed"]["verdict"] == "failed"
    floors = {row["metric"]: row["limit"] for row in found["suggested_floors"]}
    assert 0.3 < floors["hit_rate@5"] < 0.6
    assert "Suggested limits" in forge.comment()


def test_a_gate_without_a_baseline_decides_nothing(forge: Forge, gated: Files) -> None:
    forge.github.git.run("update-ref", "-d", "refs/heads/main")
    forge.start({name: body for name, body in gated.items() if "baselines" not in name})
    result = forge.check(forge.change({"README.md": b"x"}))
    assert result.exit_code == 3, result.log
    assert "there is no baseline" in result.log
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


def test_a_push_is_judged_by_its_own_rules(forge: Forge) -> None:
    change = forge.change(outputs())
    result = forge.check(
        change,
        event_name="push",
        payload={"repository": forge.repository(), "after": forge.base},
        sha=forge.base,
        workspace=forge.checkout(forge.base),
        ref="refs/heads/main",
    )
    assert result.exit_code == 0, result.log
    assert forge.states(forge.base) == ["pending", "success"]
    assert report(forge, result)["proposed"] is None


def test_a_group_of_the_merge_queue_is_judged_by_its_base(forge: Forge, gated: Files) -> None:
    weak = gated["ragate.toml"].replace(b'level = "error"', b'level = "error"\nmax_drop = 1.0')
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


@pytest.fixture
def inputs_named(forge: Forge, gated: Files) -> Forge:
    text = gated["ragate.toml"].replace(
        b"[policy]\n", b'[policy]\ninputs = ["outputs/**", "app/*.py"]\n', 1
    )
    forge.base = forge.github.commit({"ragate.toml": text}, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    return forge


@pytest.mark.parametrize("depth", [1, 2])
def test_a_change_of_no_named_input_passes_without_a_run(inputs_named: Forge, depth: int) -> None:
    change = inputs_named.change({"web/index.html": b"<b>", "app/readme.txt": b"x"})
    result = inputs_named.check(change, depth=depth)
    assert result.exit_code == 0, result.log
    assert result.outputs["affected"] == "0"
    assert "0 of 30 questions affected" in inputs_named.comment()
    (run,) = (inputs_named.last / ".ragate" / "runs").iterdir()
    assert not (run / "outputs.jsonl").exists()


@pytest.mark.parametrize(
    "files",
    [
        {"outputs/run0.jsonl": outputs(broken=BROKEN)["outputs/run0.jsonl"]},
        {"outputs/run3.jsonl": outputs()["outputs/run0.jsonl"]},
        {"app/main.py": b""},
        {"golden.jsonl": b""},
    ],
)
def test_a_change_of_a_named_input_is_run(inputs_named: Forge, files: Files) -> None:
    result = inputs_named.check(inputs_named.change(files))
    assert result.outputs.get("affected") != "0", result.log
    assert any((inputs_named.last / ".ragate" / "runs").glob("*/outputs.jsonl"))


LINKED = b'inputs = ["outputs/**", "app/**", "parts/**/*.py"]'


def linked_change(forge: Forge, path: str, kind: str) -> Change:
    """Return a pull request in which a submodule or a link at `path` leads elsewhere."""
    git = forge.github.git
    text = forge.github.git.run("show", f"{forge.base}:ragate.toml")
    config = text.replace(b'inputs = ["outputs/**", "app/*.py"]', LINKED)
    before, after = (
        f"160000 {digit * 40}" if kind == "submodule" else f"120000 {git.blob(digit.encode())}"
        for digit in "12"
    )
    files = {"ragate.toml": git.blob(config), path: before}
    forge.base = git.commit(git.tree_with(git.tree_of(forge.base), files), [forge.base])
    git.move("main", forge.base, git.resolve("refs/heads/main"))
    tree = git.tree_with(git.tree_of(forge.base), {path: after})
    change = forge.change({})
    change.head = change.pull["head"]["sha"] = git.commit(tree, [forge.base])
    change.merge = git.commit(tree, [forge.base, change.head])
    change.pull["merge_commit_sha"] = change.merge
    return change


@pytest.mark.parametrize("kind", ["submodule", "link"])
@pytest.mark.parametrize(("path", "affected"), [("app", True), ("parts/x", True), ("web", False)])
@pytest.mark.parametrize("half", ["check", "check without the base", "decide"])
def test_a_submodule_or_a_link_stands_for_all_that_it_holds(
    inputs_named: Forge, kind: str, path: str, affected: bool, half: str
) -> None:
    change = linked_change(inputs_named, path, kind)
    if half == "decide":
        result = inputs_named.decide(change, None)
        assert result.exit_code == (2 if affected else 0), result.raw_log
    else:
        result = inputs_named.check(change, depth=2 if half == "check" else 1)
        assert result.exit_code == 0, result.raw_log
    ran = any((inputs_named.last / ".ragate" / "runs").glob("*/outputs.jsonl"))
    assert ran is (affected and half != "decide")


def test_a_file_that_the_system_names_is_an_input_though_no_pattern_does(
    forge: Forge, gated: Files
) -> None:
    text = gated["ragate.toml"].replace(b"[policy]\n", b'[policy]\ninputs = ["app/**"]\n', 1)
    forge.base = forge.github.commit({"ragate.toml": text}, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    result = forge.check(forge.change(outputs(broken=BROKEN)))
    assert result.exit_code == 1, result.raw_log


def test_the_systems_table_is_an_input_too(inputs_named: Forge) -> None:
    text = inputs_named.github.git.run("show", f"{inputs_named.base}:ragate.toml")
    changed = text.replace(b'paths = ["outputs/*.jsonl"]', b'paths = ["outputs/run1.jsonl"]')
    result = inputs_named.check(inputs_named.change({"ragate.toml": changed}))
    assert result.exit_code == 3, result.log


def python_files(gated: Files, *, allowed: bool) -> Files:
    kinds = '["replay", "python"]' if allowed else '["replay"]'
    text = gated["ragate.toml"].decode().replace('["replay"]', kinds)
    return {"ragate.toml": text.encode()}


def python_head(files: Files, marker: Path) -> Files:
    head, _, _ = files["ragate.toml"].decode().rpartition("[system]")
    code = (
        "import os\n"
        f"open({str(marker)!r}, 'a').write(repr(sorted(os.environ)))\n"
        "def answer(query):\n    return {'answer': 'x', 'chunks': []}\n"
    )
    system = '[system]\nuse = "python"\ntarget = "rag:answer"\n'
    return {"ragate.toml": (head + system).encode(), "rag.py": code.encode()}


@pytest.mark.parametrize("allow", [True, False])
def test_code_of_the_repository_runs_only_where_the_workflow_allows_it(
    forge: Forge, gated: Files, tmp_path: Path, allow: bool
) -> None:
    marker = tmp_path / "ran"
    own = python_files(gated, allowed=True)
    forge.base = forge.github.commit(own, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    change = forge.change(python_head(own, marker))
    result = forge.check(change, inputs={"allow-code": "true"} if allow else {})
    assert marker.exists() is allow
    if allow:
        assert result.exit_code == 1, result.log  # another kind, and all its answers are wrong
        assert "INPUT_GITHUB-TOKEN" not in marker.read_text()
    else:
        assert result.exit_code == 2, result.log
        assert "allow-code" in result.raw_log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another account")
def test_a_workspace_of_another_account_is_read(forge: Forge) -> None:
    change = forge.change(outputs(broken=BROKEN))
    workspace = forge.checkout(change.merge)
    for path in (workspace, *workspace.rglob("*")):
        os.chown(path, 1001, 1001, follow_symlinks=False)
    result = forge.check(change, workspace=workspace)
    assert result.exit_code == 1, result.log


def test_hooks_and_monitors_of_the_checked_out_repository_do_not_run(
    forge: Forge, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    change: Change = forge.change(outputs())
    workspace = forge.checkout(change.merge)
    script = workspace / ".git" / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    git(workspace, "config", "core.fsmonitor", str(script))
    git(workspace, "config", "core.hooksPath", str(script.parent))
    assert forge.check(change, workspace=workspace).exit_code == 0
    assert not marker.exists()


def test_state_that_a_pull_request_commits_is_not_used(forge: Forge) -> None:
    planted = {".ragate/cache.sqlite": b"SQLite format 3\0 forged", ".ragate/runs/x": b""}
    change = forge.change({**outputs(broken=BROKEN), **planted})
    result = forge.check(change)
    assert result.exit_code == 1, result.log
    assert (forge.last / ".ragate" / "cache.sqlite").read_bytes() == b"SQLite format 3\0 forged"


def test_a_state_folder_that_leads_elsewhere_is_not_followed(forge: Forge, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    change = forge.change(outputs(broken=BROKEN))
    workspace = forge.checkout(change.merge)
    (workspace / ".ragate").symlink_to(elsewhere)
    result = forge.check(change, workspace=workspace)
    assert result.exit_code == 1, result.log
    assert list(elsewhere.iterdir()) == []


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
    own = python_files(gated, allowed=True)
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


def test_where_no_input_is_touched_the_second_half_needs_no_outputs(inputs_named: Forge) -> None:
    change = inputs_named.change({"web/index.html": b"<b>"}, fork="stranger/handbook")
    result = inputs_named.decide(change, None)
    assert result.exit_code == 0, result.raw_log
    assert result.outputs["affected"] == "0"
    touched = inputs_named.change({"app/a.py": b""}, fork="stranger/handbook")
    assert inputs_named.decide(touched, None).exit_code == 2
