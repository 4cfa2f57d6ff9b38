"""A judged run that is killed again and again ends as one that nobody touched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.e2e.command import ragate, unheard
from tests.projects import ReplayProject, right
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration
SAMPLES, WORKERS, KILLS = 60, 4, 4
JUDGE = """
[policy.providers.local]
base_url = "{url}"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
concurrency = {workers}

[policy.metrics.faithfulness]
[policy.metrics.relevancy]
"""


def gate_in(folder: Path, server: FakeOpenAI) -> None:
    """Write a gate whose answers have all changed since its baseline."""
    metrics = JUDGE.format(url=server.base_url, workers=WORKERS)
    project = ReplayProject(folder, samples=SAMPLES, metrics=metrics)
    project.record(right)
    done = ragate(folder, "baseline", "update", "--runs", "1")
    assert done.returncode == 0, done.stderr
    project.record(lambda number, run: {**right(number, run), "chunks": chunks(number)})
    (folder / ".ragate" / "cache.sqlite").unlink()


def chunks(number: int) -> list[dict[str, Any]]:
    return [right(number, 0)["chunks"][0], {"doc_id": "new.md", "text": "Something new."}]


def verdicts(server: FakeOpenAI) -> Counter[str]:
    """Return how often each of our answers was judged; canaries are left out."""
    sent = [body for _, _, body in list(server.requests) if "messages" in body]  # or cut by a kill
    texts = [str(body["messages"][1]["content"]) for body in sent]
    return Counter(text for text in texts if "What is the value" in text)


def outcome(project: Path) -> tuple[bytes, Any]:
    newest = max((project / ".ragate" / "runs").glob("*/report.json")).parent
    report = json.loads((newest / "report.json").read_text())
    for name in ("run_id", "created", "facts"):
        report.pop(name)
    # A run whose verdicts are all there asks no canary.
    lines = report["decision"]["lines"]
    report["decision"]["lines"] = [line for line in lines if "kinds of errors" not in line]
    return (newest / "scores.jsonl").read_bytes(), report


def test_kills_lose_no_verdict_that_is_on_the_disk_and_change_nothing(tmp_path: Path) -> None:
    with openai_server() as server:
        server.reply = judged = answers_and_judges()
        calm, rough = (tmp_path / name / "gate" for name in ("calm", "rough"))
        calm.mkdir(parents=True)
        gate_in(calm, server)
        shutil.copytree(calm, rough)
        assert ragate(calm, "check").returncode == 0
        server.requests.clear()
        for kill in range(1, KILLS + 1):
            count, killed = kill * SAMPLES // KILLS - 2 * WORKERS, Event()

            def reply(body: dict[str, Any], count: int = count, killed: Event = killed) -> str:
                if sum(verdicts(server).values()) >= count:
                    killed.wait(300)
                return judged(body)

            server.reply = reply
            with unheard(rough, "check") as process:
                while sum(verdicts(server).values()) < count:
                    assert process.poll() is None
                    time.sleep(0.003)
                os.kill(process.pid, signal.SIGKILL)
            killed.set()
        before = verdicts(server)
        server.reply = judged
        assert ragate(rough, "check").returncode == 0
        after = verdicts(server)
        server.requests.clear()
        assert ragate(rough, "check").returncode == 0

        assert server.requests == []
    assert 0 < len(before) < SAMPLES
    assert len(after) == SAMPLES
    assert sum(after.values()) <= SAMPLES + KILLS * WORKERS
    assert outcome(rough) == outcome(calm)


def test_two_checks_at_once_ask_for_each_verdict_once(tmp_path: Path) -> None:
    with openai_server() as server:
        server.reply = answers_and_judges()
        gate_in(tmp_path, server)
        server.requests.clear()
        with unheard(tmp_path, "check") as one, unheard(tmp_path, "check") as other:
            codes = [process.wait(300) for process in (one, other)]
        asked = verdicts(server)

    assert codes == [0, 0]
    assert len(asked) == SAMPLES
    assert set(asked.values()) == {1}
