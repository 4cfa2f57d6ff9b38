"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.database import PostgresDatabase
from tests.integration.rag import Project, docs
from tests.servers.openai_server import FakeOpenAI, openai_server


@pytest.fixture
def project(tmp_path: Path, database: PostgresDatabase) -> Project:
    docs(tmp_path)
    return Project(tmp_path, database)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        yield fake
