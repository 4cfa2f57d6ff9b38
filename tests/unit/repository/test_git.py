"""What git says of a work tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.repository.git import is_clean, repository
from ragate.repository.git_process import Layout
from tests.repositories import git


def test_our_own_files_leave_a_work_tree_clean(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
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


def test_git_is_asked_where_it_may_find_something_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "clone" / "docs"
    inside.mkdir(parents=True)
    (tmp_path / "clone" / ".git").write_text("gitdir: ../elsewhere\n")  # as a work tree has it
    places: list[Path] = []

    def layout(folder: Path) -> Layout:
        places.append(folder)
        none = Path()
        return Layout(folder.parent, none, none, none, {}, none)

    monkeypatch.setattr("ragate.repository.git.layout_of", layout)
    monkeypatch.delenv("GIT_DIR", raising=False)

    assert repository(tmp_path) is None
    assert repository(inside) == tmp_path / "clone"
    assert places == [inside]
