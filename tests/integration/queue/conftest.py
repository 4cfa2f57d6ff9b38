"""One queue with roles for the folder: what a test puts into it bears a name of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragate.database import PostgresDatabase
from tests.servers.queue_roles import queue_with_roles


@pytest.fixture(scope="session")
def queue(server_of_our_own: PostgresDatabase) -> Iterator[str]:
    with queue_with_roles(server_of_our_own.conninfo()) as queue:
        yield queue
