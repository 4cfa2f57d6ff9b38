"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.judged.judged_projects import KEY, configure
from tests.projects import write_docs_project
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_docs_project(tmp_path)
    configure(tmp_path, server)
    return tmp_path


@pytest.fixture
def recorded(project: Path, server: FakeOpenAI) -> Path:
    """A project with a committed baseline, and nothing left of how it was made."""
    assert run(["baseline", "update", "--runs", "2"]) == 0
    (project / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()
    return project
