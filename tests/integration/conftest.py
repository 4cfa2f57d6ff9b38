"""A database of the session, which RAGATE_DATABASE_URL names or which is embedded; a model."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.projects import ReplayProject
from tests.servers.openai_server import FakeOpenAI, openai_server


def open_folder() -> Path:
    """Return a new folder that another account may enter: as root the server runs as one."""
    folder = Path(tempfile.mkdtemp(prefix="ragate-test-"))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def state() -> Iterator[Path]:
    """A project's state folder, of this test alone."""
    folder = open_folder()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    """A state folder whose server was made once and does not run; see `ready`."""
    folder = open_folder()
    with PostgresDatabase(folder) as server:
        server.conninfo()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def ready(state: Path, made: Path) -> Path:
    """A state folder as an earlier command left it: copied, which is faster than made."""
    subprocess.run(["cp", "-a", f"{made}/.", str(state)], check=True)
    return state


@pytest.fixture(scope="session")
def database() -> Iterator[PostgresDatabase]:
    """The server of the session; an index belongs to its corpus folder, so tests do not meet."""
    folder = open_folder()
    with PostgresDatabase(folder, url=os.environ.get("RAGATE_DATABASE_URL")) as server:
        yield server
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def served(database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this test use the server of the session: to start one takes a second."""
    monkeypatch.setenv("RAGATE_DATABASE_URL", database.conninfo())


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `ReplayProject` with a baseline of three runs, to be copied."""
    made = ReplayProject(tmp_path_factory.mktemp("recording"))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAGATE_DATABASE_URL", raising=False)
        patch.chdir(made.root)
        assert run(["baseline", "update"]) == 0
    return made.root


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A server of models, of this test alone; what it replies is set by who asks for it."""
    with openai_server() as fake:
        yield fake
