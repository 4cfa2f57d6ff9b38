"""Fixtures of this folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.integration.judged.judged_projects import KEY, configure
from tests.projects import write_docs_project
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server


@pytest.fixture
def project(
    tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, served: None
) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", KEY)
    server.reply = answers_and_judges()
    write_docs_project(tmp_path)
    configure(tmp_path, server)
    return tmp_path


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabase) -> Path:
    """A project with a baseline, to be copied, and nothing left of how it was made."""
    root = tmp_path_factory.mktemp("recording")
    with pytest.MonkeyPatch.context() as patch, openai_server() as fake:
        patch.chdir(root)
        patch.setenv("TEST_KEY", KEY)
        patch.setenv("RAGATE_DATABASE_URL", database.conninfo())
        fake.reply = answers_and_judges()
        write_docs_project(root)
        configure(root, fake)
        assert run(["baseline", "update", "--runs", "2"]) == 0
    (root / ".ragate" / "cache.sqlite").unlink()
    return root


@pytest.fixture
def recorded(project: Path, server: FakeOpenAI, recording: Path) -> Path:
    """A project with a committed baseline."""
    shutil.copytree(recording, project, dirs_exist_ok=True)
    configure(project, server)
    return project
