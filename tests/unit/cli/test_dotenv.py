"""Which files of variables are read on a developer's machine, and which one wins."""

from __future__ import annotations

from ragate.cli.operations import exposed_dotenv, with_dotenv
from tests.repositories import git


def write(root, **files):
    for name, text in files.items():
        (root / f".{name.replace('_', '.')}").write_text(text)


def test_a_later_file_wins_and_the_shell_over_all(tmp_path):
    write(tmp_path, env="A=1\nB=1\nC=1\nD=1", env_development="B=2\nC=2\nD=2", env_local="C=3\nD=3")

    read = with_dotenv(tmp_path, {"D": "4"})

    assert read == {"A": "1", "B": "2", "C": "3", "D": "4"}


def test_under_ci_none_is_read(tmp_path):
    write(tmp_path, env="A=1", env_development="B=2", env_local="C=3")

    assert with_dotenv(tmp_path, {"CI": "true"}) == {"CI": "true"}


def test_a_local_file_that_git_may_take_is_told(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, env_local="KEY=1")

    told = exposed_dotenv(tmp_path)

    assert told is not None
    assert ".env.local is not ignored by git" in told[0]
