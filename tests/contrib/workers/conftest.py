"""A queue for each file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.database import PostgresDatabase
from tests.contrib.workers.crew import Crew
from tests.servers.queue import fresh_queue


@pytest.fixture(scope="module")
def url(database: PostgresDatabase) -> Iterator[str]:
    with fresh_queue(database.conninfo()) as fresh:
        yield fresh


@pytest.fixture
def crew(tmp_path: Path, url: str) -> Crew:
    return Crew(tmp_path, url)
