"""The command `ragate worker`."""

from __future__ import annotations

import os
import signal
import threading
import time

import psycopg
import pytest

from ragate.cli.main import run
from tests.integration.workers.crew import Crew

pytestmark = pytest.mark.integration


def interrupt_when_it_listens(url: str) -> None:
    """Press Ctrl-C, as it were, when a worker has registered."""
    end = time.monotonic() + 240
    with psycopg.connect(url, autocommit=True) as connection:
        query = "SELECT 1 FROM ragate_queue.procrastinate_workers"
        while time.monotonic() < end and not connection.execute(query).fetchone():
            time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


def test_a_worker_that_is_told_to_end_says_where_its_answers_are(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(crew.clone("one"))
    monkeypatch.setenv("RAGATE_QUEUE_URL", crew.url)
    threading.Thread(target=interrupt_when_it_listens, args=(crew.url,)).start()

    code = run(["worker", "--idle-s", "300"])

    assert code == 130
    assert "what was answered is in the queue" in capsys.readouterr().err
