"""A repository with a gate, and the stand-in for GitHub that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.action.forge import Forge, recorded_project
from tests.servers.github_stub import github_stub


@pytest.fixture(scope="session")
def gated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a project whose baseline is recorded."""
    return recorded_project(tmp_path_factory.mktemp("gated"))


@pytest.fixture
def forge(tmp_path: Path, gated: dict[str, bytes]) -> Iterator[Forge]:
    """Yield a repository whose main branch has the gate."""
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start(gated)
        yield made
