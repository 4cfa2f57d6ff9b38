"""The schemas of the queue, as a worker finds them."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from ragate.queue import schema
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration


@pytest.fixture
def empty(database: PostgresDatabase) -> Iterator[str]:
    with fresh_queue(database.conninfo()) as url:
        yield url


def test_a_worker_that_comes_first_waits_for_the_schemas(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_PAUSE_S", 0.0)
    told: list[str] = []

    def say(line: str) -> None:
        told.append(line)
        schema.make_schemas(empty)

    schema.wait_for_schemas(empty, say=say)

    assert len(told) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("INSERT INTO ragate_work.migrations VALUES (2, 'of tomorrow')", "version 2, newer than"),
        ("UPDATE ragate_trust.migrations SET checksum = 'another'", "was made with another step"),
        ("DELETE FROM ragate_worker.migrations", "and no version"),
        ("DROP TABLE ragate_queue.procrastinate_events", "lacks 'procrastinate_events'"),
    ],
)
def test_a_worker_does_not_wait_for_what_does_not_come(empty: str, change: str, words: str) -> None:
    schema.make_schemas(empty)
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(change.encode())

    with pytest.raises(DatabaseError, match=words):
        schema.wait_for_schemas(empty, say=pytest.fail)
