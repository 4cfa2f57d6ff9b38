"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.github.commits.commit_tree import ApiTree, GitTree, Tree
from ragate.github.rest.api import Api
from ragate.github.rest.repository import Repository
from tests.repositories import git
from tests.servers.github_stub import TOKEN, github_stub
from tests.unit.github.commits.tree_factories import local_repository


@pytest.fixture(params=["git", "api"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tree]:
    folder = tmp_path / "local"
    sha = local_repository(folder)
    if request.param == "git":
        yield GitTree(folder, sha)
        return
    with github_stub(tmp_path / "github") as github, Api(github.url, TOKEN) as api:
        git(folder, "push", "--quiet", str(github.git.folder), "HEAD:refs/heads/main")
        yield ApiTree(Repository(api, github.name), sha)
