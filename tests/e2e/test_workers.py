"""A run whose questions worker processes ask, on machines that come and go."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragate.database import PostgresDatabase
from tests.e2e.command import ragate, start
from tests.servers.queue import fresh_queue
from tests.slow_rag import SlowProject, baseline_of, report_of

pytestmark = pytest.mark.e2e
IN_FLIGHT = 4


@pytest.fixture(scope="module")
def queue() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="ragate-test-"))
    folder.chmod(0o755)
    url = os.environ.get("RAGATE_DATABASE_URL")
    with PostgresDatabase(folder, url=url) as server, fresh_queue(server.conninfo()) as fresh:
        yield fresh
    shutil.rmtree(folder, ignore_errors=True)


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def timeless(text: str) -> str:
    """Return a console report without the run's id, its minute and how long it took."""
    return re.sub(r"\d{8}-\d{6}-\d{3}-[0-9a-f]{4}|\d\d:\d\d UTC|[0-9.]+ s ·", "", text)


def test_three_workers_one_killed_and_one_late_give_what_one_process_gives(
    tmp_path: Path, queue: str
) -> None:
    project = SlowProject(tmp_path, samples=60)
    one, many = project.clone("one"), project.clone("many")
    env = {"RAGATE_QUEUE_URL": queue}

    def worker(name: str) -> subprocess.Popen[str]:
        options = ("--concurrency", str(IN_FLIGHT), "--idle-s", "40")
        return start(project.clone(name), "worker", *options, env=env)

    workers = [worker("first"), worker("second")]
    try:
        assert ragate(one, "baseline", "update").returncode == 0
        done = ragate(many, "baseline", "update", "--workers", env=env)
        assert done.returncode == 0, done.stderr
        assert baseline_of(many) == baseline_of(one)

        project.answer(wrong=tuple(range(0, 60, 4)))
        alone = ragate(one, "check")
        assert alone.returncode == 1
        project.forget_asked()
        project.answer(wrong=tuple(range(0, 60, 4)), seconds=0.8)
        running = start(many, "check", "--workers", env=env)
        wait_until(lambda: project.asked_by(workers[0].pid) >= IN_FLIGHT)
        workers[0].kill()
        workers.append(worker("late"))
        out, said = running.communicate(timeout=90)
        assert running.returncode == 1, said
        assert timeless(out) == timeless(alone.stdout)
        assert report_of(many) == report_of(one)
        assert project.asked_by(workers[2].pid) > 0
        asked = project.asked().values()
        paid_twice = sum(asked) - 60 * min(asked)
        assert 0 < paid_twice <= IN_FLIGHT
    finally:
        for each in workers:
            each.kill()
            each.communicate()
