"""A command that is stopped in the middle: what is finished stays, what was there is whole."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.outputs.outputs_file import read_outputs
from tests.e2e.command import CLEAN, RAGATE, ragate, start
from tests.projects import write_docs_project
from tests.servers.openai_server import openai_server

pytestmark = pytest.mark.e2e

ANSWERED = """
[policy.providers.local]
base_url = "{url}"

[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
SLOW = """
import asyncio
from contextlib import asynccontextmanager
from ragate.models import RetrievedChunk, SystemInfo, SystemOutput

class Slow:
    info = SystemInfo(use="slow_system:create")
    max_runs = None
    async def prepare(self, *, rebuild=False): pass
    async def documents(self): return None
    async def answer(self, sample, *, run=0):
        await asyncio.sleep(0.0 if sample.id < "q5" else 60.0)
        return SystemOutput(chunks=(RetrievedChunk(doc_id="a.md"),), answer="a")

@asynccontextmanager
async def create(settings, resources):
    yield Slow()
"""


@pytest.fixture
def docs(tmp_path: Path, made: Path) -> Path:
    """A project whose embedded server was made before and does not run."""
    write_docs_project(tmp_path)
    subprocess.run(["cp", "-a", str(made), str(tmp_path / ".ragate")], check=True)
    return tmp_path


@pytest.mark.parametrize("stop", STOPS)
def test_an_interrupted_run_exits_with_130_and_keeps_finished_outputs(
    tmp_path: Path, stop: signal.Signals
):
    (tmp_path / "slow_system.py").write_text(SLOW)
    lines = [json.dumps({"id": f"q{n}", "query": "?", "relevant": ["a.md"]}) for n in range(9)]
    (tmp_path / "golden.jsonl").write_text("\n".join(lines))
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "golden.jsonl"\nbaseline = "b.json"\n'
        'systems = ["slow_system:create"]\n'
        '[policy.metrics."hit_rate@1"]\n[system]\nuse = "slow_system:create"\n'
    )
    process = start(tmp_path, "check", env={"PYTHONPATH": str(tmp_path)})
    runs = tmp_path / ".ragate" / "runs"
    _wait_for(lambda: _finished(runs) == 5)

    process.send_signal(stop)
    _, error = process.communicate(timeout=240)

    assert process.returncode == 130
    assert "interrupted" in error
    assert "Traceback" not in error
    assert _finished(runs) == 5


def _finished(runs: Path) -> int:
    files = list(runs.glob("*/outputs.jsonl"))
    if not files:
        return 0
    return files[0].read_text().count("}\n") - 1


def test_a_killed_check_leaves_database_and_baseline_usable_and_no_server_behind(docs: Path):
    assert ragate(docs, "baseline", "update", "--runs", "2").returncode == 0
    baseline = (docs / "baselines" / "docs.json").read_bytes()
    started = time.monotonic()
    assert ragate(docs, "check").returncode == 0
    whole = time.monotonic() - started

    for part in range(1, 4):
        (docs / "docs" / "new.md").write_text(f"# New {part}\n\nFresh text {part}.\n")
        process = start(docs, "check")
        time.sleep(whole * part / 4)
        process.kill()
        process.communicate()

    assert (docs / "baselines" / "docs.json").read_bytes() == baseline
    after = ragate(docs, "check")
    assert after.returncode == 0, after.stdout + after.stderr
    assert "stopped" in ragate(docs, "db", "status").stdout


def test_outputs_of_a_killed_run_can_still_be_read(docs: Path):
    process = start(docs, "check")
    runs = docs / ".ragate" / "runs"
    _wait_for(lambda: _finished(runs) > 0 or process.poll() is not None)
    process.kill()
    process.communicate()

    _, lines = read_outputs(next(runs.glob("*/outputs.jsonl")))
    assert [line.id for _, line in lines]


def test_a_signal_stops_the_embedded_server(docs: Path):
    with openai_server() as server:
        config = (docs / "ragate.toml").read_text()
        (docs / "ragate.toml").write_text(config + ANSWERED.format(url=server.base_url))
        server.latency_s = 60.0
        process = start(docs, "check")
        _wait_for(lambda: server.seen > 0)
        assert "running" in ragate(docs, "db", "status").stdout

        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=240)

    assert process.returncode == 130
    assert "Traceback" not in error
    assert "stopped" in ragate(docs, "db", "status").stdout


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_during_an_import_leaves_no_traceback(tmp_path: Path, stop: signal.Signals):
    mark = tmp_path / "importing"
    (tmp_path / "click.py").write_text(
        f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)"
    )
    process = start(tmp_path, "check", env={"PYTHONPATH": str(tmp_path)})
    _wait_for(mark.exists)

    process.send_signal(stop)
    _, error = process.communicate(timeout=240)

    assert process.returncode == 130
    assert "Traceback" not in error


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path):
    mark = tmp_path / "importing"
    (tmp_path / "click.py").write_text(
        f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(2); raise OSError"
    )
    process = subprocess.Popen(
        ["nohup", RAGATE, "check"],
        cwd=tmp_path,
        env={**CLEAN, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _wait_for(mark.exists)

    process.send_signal(signal.SIGHUP)

    assert process.wait(timeout=240) == 3


def _wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)
