"""A file over commits, as git tells it."""

from pathlib import Path

import pytest

from ragate.errors import UsageError
from ragate.repository.git import blobs, file_commits
from tests.repositories import git


def commit(project: Path, data: bytes, subject: str) -> None:
    (project / "b.json").write_bytes(data)
    git(project, "add", "b.json")
    git(project, "commit", "-q", "-m", subject)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def test_outside_a_repository_git_tells_nothing(tmp_path: Path):
    with pytest.raises(UsageError, match="git tells no history"):
        file_commits(tmp_path, "b.json", most=3)


def test_what_a_merge_brought_counts_as_of_the_merge(repository: Path):
    commit(repository, b"1", "first")
    git(repository, "checkout", "-q", "-b", "work")
    commit(repository, b"2", "on the branch")
    commit(repository, b"3", "on the branch again")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merged", "work")

    found = file_commits(repository, "b.json", most=9)

    assert [each.subject for each in found] == ["first", "merged"]
    contents = dict(blobs(repository, [each.blob for each in found], most_bytes=9))
    assert list(contents.values()) == [b"1", b"3"]


def test_a_merge_that_left_the_file_alone_is_no_point(repository: Path):
    commit(repository, b"1", "first")
    git(repository, "checkout", "-q", "-b", "work")
    git(repository, "commit", "-q", "--allow-empty", "-m", "elsewhere")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merged", "work")

    assert [each.subject for each in file_commits(repository, "b.json", most=9)] == ["first"]


def test_a_subject_of_control_characters_forges_no_entry(repository: Path):
    commit(repository, b"1", "first")
    commit(repository, b"2", f"\x01{'0' * 40}\x02today\x02forged")

    found = file_commits(repository, "b.json", most=9)

    assert [each.blob != "" for each in found] == [True, True]
    assert found[1].commit != "0" * 40
    assert found[1].subject.endswith("forged")
