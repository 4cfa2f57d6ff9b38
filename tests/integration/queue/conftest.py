"""One queue with roles for the folder: what a test puts into it bears a name of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragate.database import PostgresDatabase
from ragate.pipeline.workers import submit
from ragate.queue import engine_worker
from ragate.queue.schema import make_schemas
from tests.servers.queue import fresh_queue
from tests.servers.queue_roles import queue_with_roles


@pytest.fixture(scope="package")
def queue(server_of_our_own: PostgresDatabase) -> Iterator[str]:
    with queue_with_roles(server_of_our_own.conninfo()) as queue:
        yield queue


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is slow: let nobody wait for it as in earnest."""
    for module, name in (
        (engine_worker, "_GRACE_S"),
        (engine_worker, "_POLL_S"),
        (engine_worker, "_SWEEP_S"),
        (submit, "LOOK_S"),
        (submit, "LOST_S"),
    ):
        monkeypatch.setattr(module, name, 0.2)
    monkeypatch.setattr(engine_worker, "HEARTBEAT_S", 0.2)
    monkeypatch.setattr(engine_worker, "STALLED_S", 2.0)


@pytest.fixture(scope="module")
def url(database: PostgresDatabase) -> Iterator[str]:
    """A queue without roles; tests name plans of their own."""
    with fresh_queue(database.conninfo()) as fresh:
        make_schemas(fresh)
        yield fresh
