"""The state folder holds full texts: git never sees it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.resources.operations import ignore_itself
from tests.projects import ReplayProject

pytestmark = pytest.mark.integration


def new_files(root: Path) -> str:
    command = ["git", "status", "--porcelain", "--untracked-files=all", "--", ".ragate"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("command", ["baseline update", "collect", "collect --shard 1/2"])
def test_git_ignores_the_state_folder_without_a_line_of_the_project(
    project: ReplayProject, command: str
) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=project.root, check=True)

    assert run(command.split()) == 0

    assert (project.root / ".ragate").is_dir()
    assert new_files(project.root) == ""


def test_what_stands_there_already_and_a_folder_of_another_name_are_left_alone(
    tmp_path: Path,
) -> None:
    own, other = tmp_path / ".ragate", tmp_path / "build"
    for folder in (own, other):
        folder.mkdir()
    (own / ".gitignore").symlink_to(tmp_path / "elsewhere")

    ignore_itself(own)
    ignore_itself(other)

    assert not (tmp_path / "elsewhere").exists()
    assert not list(other.iterdir())
