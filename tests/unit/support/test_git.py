"""What git says of a work tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ragate.support.git import is_clean


def test_our_own_files_leave_a_work_tree_clean(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    who = ("-c", "user.name=o", "-c", "user.email=o@example.org")
    commit = ["git", "-C", str(tmp_path), *who, "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(commit, check=True)
    assert is_clean(tmp_path)
    state, outputs = tmp_path / ".ragate", tmp_path / "ragate-outputs.jsonl"
    (state / "runs").mkdir(parents=True)
    (state / "runs" / "x").write_text("x")
    outputs.write_text("{}\n")
    assert not is_clean(tmp_path)
    assert not is_clean(tmp_path, but=[state])
    assert is_clean(tmp_path, but=[state, outputs, tmp_path.parent / "elsewhere"])
    inner = tmp_path / "app"
    inner.mkdir()
    assert is_clean(inner, but=[state, outputs])
    (tmp_path / "other.txt").write_text("x")
    assert not is_clean(inner, but=[state, outputs])
    assert not is_clean(tmp_path, but=[tmp_path])
