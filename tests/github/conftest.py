"""A stub of GitHub for each test, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.github.rest.api import Api
from ragate.github.rest.repository import Repository
from tests.github.publish_factories import BASE, HEAD, World
from tests.servers.github_stub import TOKEN, GitHub, github_stub


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    with github_stub(tmp_path) as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the client wanted to wait, one after another."""
    return []


@pytest.fixture
def api(github: GitHub, waits: list[float]) -> Iterator[Api]:
    with Api(github.url, TOKEN, sleep=waits.append) as client:
        yield client


@pytest.fixture
def repository(github: GitHub, api: Api) -> Repository:
    return Repository(api, github.name)


@pytest.fixture
def base(github: GitHub) -> str:
    files: dict[str, bytes | None] = {"ragate.toml": b"[policy]\n", "docs/guide.md": b"# Guide\n"}
    return github.commit(files, branch="main")


@pytest.fixture
def world(github: GitHub, repository: Repository, tmp_path: Path) -> World:
    github.add_pull(7, head=HEAD, base=BASE)
    return World(github, repository, tmp_path)
