"""What a step takes from its surroundings, and what it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.action.base_projects import Files, python_files, python_head
from tests.e2e.action.forge import Change, Forge, outputs
from tests.repositories import git

pytestmark = pytest.mark.e2e


BROKEN = range(12)


@pytest.mark.parametrize("allow", [True, False])
def test_code_of_the_repository_runs_only_where_the_workflow_allows_it(
    forge: Forge, gated: Files, tmp_path: Path, allow: bool
) -> None:
    marker = tmp_path / "ran"
    own = python_files(gated)
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


def test_code_that_ends_its_process_ends_no_step(
    forge: Forge, gated: Files, tmp_path: Path
) -> None:
    own = python_files(gated)
    forge.base = forge.github.commit(own, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    head = python_head(own, tmp_path / "ran")
    head["rag.py"] += b"import ctypes\nctypes.CDLL(None)._exit(0)\n"

    result = forge.check(forge.change(head), inputs={"allow-code": "true"})

    assert result.exit_code in (1, 2, 3), result.log
    assert "its worker ended with exit code 0" in result.raw_log


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


def test_a_configuration_that_leads_out_of_the_workspace_is_not_read(
    forge: Forge, tmp_path: Path
) -> None:
    change = forge.change(outputs())
    workspace = forge.checkout(change.merge)
    elsewhere = tmp_path / "elsewhere.toml"
    elsewhere.write_text("[canary]\n")
    config = workspace / "ragate.toml"
    config.unlink()
    config.symlink_to(elsewhere)
    result = forge.check(change, workspace=workspace)
    assert result.exit_code == 2, result.log
    assert "which is outside" in forge.comment()
    assert "canary" not in result.raw_log + forge.comment()
