"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.database import PostgresDatabase
from tests.integration.rag import Project, docs


@pytest.fixture
def project(tmp_path: Path, database: PostgresDatabase) -> Project:
    docs(tmp_path)
    return Project(tmp_path, database)
