"""A run whose questions worker processes ask, on machines that come and go."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.command import ragate, start
from tests.night import by_night
from tests.slow_rag import SlowProject, baseline_of, report_of

pytestmark = pytest.mark.e2e
IN_FLIGHT = 4


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def timeless(text: str) -> str:
    """Return a console report without the run's id, its minute and how long it took."""
    return re.sub(r"\d{8}-\d{6}-\d{3}-[0-9a-f]{4}|\d\d:\d\d UTC|[0-9.]+ s ·", "", text)


@by_night  # by day each of these events has a test of its own, in this folder
def test_three_workers_one_killed_and_one_late_give_what_one_process_gives(
    tmp_path: Path, url: str
) -> None:
    project = SlowProject(tmp_path, samples=60)
    one, many = project.clone("one"), project.clone("many")
    env = {"RAGATE_QUEUE_URL": url}

    def worker(name: str) -> subprocess.Popen[str]:
        return start(project.clone(name), "worker", "--concurrency", str(IN_FLIGHT), env=env)

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
        # Nothing is answered before the late one has come, however long that takes.
        project.answer(wrong=tuple(range(0, 60, 4)), seconds=50)
        running = start(many, "check", "--workers", env=env)
        wait_until(lambda: project.asked_by(workers[0].pid) >= IN_FLIGHT)
        workers[0].kill()
        workers.append(worker("late"))
        wait_until(lambda: project.asked_by(workers[2].pid))
        project.answer(wrong=tuple(range(0, 60, 4)), seconds=0.1)
        out, said = running.communicate(timeout=300)
        assert running.returncode == 1, said
        assert timeless(out) == timeless(alone.stdout)
        assert report_of(many) == report_of(one)
        asked = project.asked().values()
        paid_twice = sum(asked) - 60 * min(asked)
        assert 0 < paid_twice <= IN_FLIGHT
    finally:
        for each in workers:
            each.kill()
            each.communicate()
