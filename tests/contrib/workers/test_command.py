"""The command `ragate worker`."""

from __future__ import annotations

import signal

import psycopg
import pytest

from ragate.contrib.workers.queue import schema_name
from tests.contrib.workers.crew import Crew
from tests.contrib.workers.test_verdict import wait_until
from tests.e2e.command import start

pytestmark = pytest.mark.e2e


def listening(url: str) -> bool:
    """Return whether a worker has registered."""
    workers = f"{schema_name()}.procrastinate_workers"
    with psycopg.connect(url, autocommit=True) as connection:
        there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (workers,))
        return there.fetchone() == (True,) and bool(
            connection.execute(f"SELECT 1 FROM {workers}".encode()).fetchone()
        )


def test_a_worker_that_is_told_to_end_says_where_its_answers_are(crew: Crew) -> None:
    env = {"RAGATE_QUEUE_URL": crew.url}
    # A process of its own: a signal that comes late ends no other test.
    worker = start(crew.clone("one"), "worker", "--idle-s", "300", env=env)
    try:
        wait_until(lambda: worker.poll() is not None or listening(crew.url))
        worker.send_signal(signal.SIGINT)
        _, said = worker.communicate(timeout=60)
    finally:
        worker.kill()
        worker.communicate()

    assert worker.returncode == 130
    assert "what was answered is in the queue" in said
