"""Commits and files of the local repository."""

from __future__ import annotations

import os
from pathlib import Path

from ragate.github.commits.commit_tree import GitTree
from ragate.github.commits.git_objects import changed_files, folder, has_tree, parents
from tests.repositories import git
from tests.unit.github.commits.tree_factories import local_repository


def test_a_shallow_clone_knows_its_parents_and_not_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "local"
    first = local_repository(folder)
    (folder / "new.txt").write_text("x")
    os.rename(folder / "app" / "empty", folder / "app" / "moved")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "second")
    second = git(folder, "rev-parse", "HEAD")
    assert sorted(changed_files(folder, first, second)) == ["app/empty", "app/moved", "new.txt"]
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", str(clone))
    assert parents(clone, second) == (first,)
    assert has_tree(clone, second)
    assert not has_tree(clone, first)


def test_git_is_asked_once_for_what_a_report_names_again(tmp_path: Path) -> None:
    tree = GitTree(tmp_path / "local", local_repository(tmp_path / "local"))
    content = tree.read("app/golden.jsonl")
    assert content
    (tmp_path / "local" / ".git").rename(tmp_path / "away")

    assert tree.read("app/golden.jsonl") == content


def test_a_folder_names_its_objects_as_git_does(tmp_path: Path) -> None:
    root = tmp_path / "local"
    commit = local_repository(root)

    found = {name: entry.sha for name, entry in folder(root, commit).items()}

    assert found["app"] == git(root, "rev-parse", f"{commit}:app")
    assert sorted(found) == ["app", "linked", "réd me.txt"]
