"""Commits, trees and files are read by the API."""

from __future__ import annotations

import pytest

from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import Repository
from tests.servers.github_stub import GitHub

pytestmark = pytest.mark.integration


def test_files_are_read_at_a_commit_and_one_that_is_missing_is_none(
    github: GitHub, repository: Repository, base: str
) -> None:
    head = github.commit({"docs/guide.md": b"\x00new\xff"}, parents=[base])

    assert repository.contents("docs/guide.md", base) == b"# Guide\n"
    assert repository.contents("docs/guide.md", head) == b"\x00new\xff"
    assert repository.contents("docs/none.md", head) is None
    assert repository.contents("docs/guide.md", "0" * 40) is None


def test_a_file_that_cannot_be_read_is_not_a_missing_one(
    github: GitHub, repository: Repository, base: str
) -> None:
    github.fault("GET", "/contents/", status=403)

    with pytest.raises(GitHubApiError):
        repository.contents("ragate.toml", base)


def test_a_file_over_a_megabyte_is_read_whole(github: GitHub, repository: Repository) -> None:
    large = b"0123456789abcdef" * 200_000
    sha = github.commit({"baselines/main.json": large}, branch="main")

    assert repository.contents("baselines/main.json", sha) == large


def test_a_commit_names_its_parents_and_its_tree(
    github: GitHub, repository: Repository, base: str
) -> None:
    head = github.commit({"a.md": b"a"}, parents=[base])
    merge = github.commit({}, parents=[base, head])

    found = repository.commit(merge)
    listed = {one["path"]: one["type"] for one in repository.tree(found.tree)}

    assert found.parents == (base, head)
    assert listed == {"docs": "tree", "docs/guide.md": "blob", "ragate.toml": "blob"}


def test_a_tree_that_was_cut_is_an_error(
    github: GitHub, repository: Repository, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = repository.api.get(f"/repos/{github.name}/git/trees/{base}")
    monkeypatch.setattr(repository.api, "get", lambda *_: {**answer, "truncated": True})

    with pytest.raises(GitHubApiError, match="too large"):
        repository.tree(base)
