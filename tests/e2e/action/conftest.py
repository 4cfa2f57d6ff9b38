"""A repository with a gate, and the stand-in for GitHub that holds it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.action.command_projects import BROKEN
from tests.e2e.action.forge import Change, Forge, outputs, recorded_project
from tests.e2e.action.main_projects import entry_of, merged
from tests.e2e.action.talk import judged
from tests.servers.github_stub import github_stub


@pytest.fixture(scope="session")
def gated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a project whose baseline is recorded."""
    return recorded_project(tmp_path_factory.mktemp("gated"))


@pytest.fixture(scope="session")
def first_commit(
    tmp_path_factory: pytest.TempPathFactory, gated: dict[str, bytes]
) -> tuple[Path, str]:
    """Return the folder of a stub whose main branch has the gate, to be copied, and its commit."""
    folder = tmp_path_factory.mktemp("first")
    with github_stub(folder) as github:
        return folder, Forge(github, folder).start(gated)


@contextmanager
def opened(folder: Path, first_commit: tuple[Path, str]) -> Iterator[Forge]:
    shutil.copytree(first_commit[0], folder / "github")
    with github_stub(folder / "github") as github:
        yield Forge(github, folder, base=first_commit[1])


@pytest.fixture
def forge(tmp_path: Path, first_commit: tuple[Path, str]) -> Iterator[Forge]:
    """Yield a repository whose main branch has the gate."""
    with opened(tmp_path, first_commit) as made:
        yield made


@pytest.fixture(scope="module")
def earlier(
    tmp_path_factory: pytest.TempPathFactory, first_commit: tuple[Path, str]
) -> Iterator[Forge]:
    """Yield a repository in which something happens once, before many tests (`Forge.again`)."""
    with opened(tmp_path_factory.mktemp("earlier"), first_commit) as made:
        yield made


@pytest.fixture(scope="module")
def judged_red(earlier: Forge) -> Change:
    change = earlier.change(outputs(broken=BROKEN))
    earlier.github.git.move("change", change.head)
    assert judged(earlier, change).exit_code == 1
    return change


@pytest.fixture
def red(forge: Forge, earlier: Forge, judged_red: Change) -> Change:
    """A pull request that was judged and is red; its branch is there."""
    return forge.again(earlier, judged_red)


@pytest.fixture
def inputs_named(forge: Forge) -> Forge:
    policy = b'inputs = ["outputs/**"]\n'
    config = forge.github.git.read(entry_of(forge, "ragate.toml"))
    text = config.replace(b"[policy]\n", b"[policy]\n" + policy, 1)
    forge.base = merged(forge, {"ragate.toml": text})
    return forge
