"""Files are committed by the API."""

from __future__ import annotations

import pytest

from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import Repository
from tests.servers.github_stub import GitHub

pytestmark = pytest.mark.integration


def test_a_large_file_is_committed_by_blob_tree_commit_and_branch(
    github: GitHub, repository: Repository, base: str
) -> None:
    large = b"x" * 3_000_000
    blob = repository.create_blob(large)
    tree = repository.create_tree(repository.commit(base).tree, {"baselines/main.json": blob})
    sha = repository.create_commit("record", tree, [base])
    repository.update_branch("main", sha)

    assert repository.branch_sha("main") == sha
    assert repository.contents("baselines/main.json", "main") == large
    assert repository.contents("ragate.toml", "main") == b"[policy]\n"


def test_a_branch_that_has_moved_meanwhile_is_not_overwritten(
    github: GitHub, repository: Repository, base: str
) -> None:
    mine = github.commit({"a": b"mine"}, parents=[base])
    theirs = github.commit({"a": b"theirs"}, parents=[base], branch="main")

    with pytest.raises(GitHubApiError) as caught:
        repository.update_branch("main", mine)

    assert caught.value.status == 422
    assert repository.branch_sha("main") == theirs


def test_a_branch_and_a_pull_request_are_made(
    github: GitHub, repository: Repository, base: str
) -> None:
    sha = github.commit({"a": b"a"}, parents=[base])
    repository.create_branch("ragate/baseline", sha)
    made = repository.create_pull("Record the baseline", "ragate/baseline", "main", "Three runs.")

    assert repository.branch_sha("ragate/baseline") == sha
    assert repository.branch_sha("ragate/none") == ""
    assert github.pulls[made["number"]]["head"]["sha"] == sha
    with pytest.raises(GitHubApiError):
        repository.create_branch("ragate/baseline", sha)
