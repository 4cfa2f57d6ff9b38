"""The replies that stand beside a baseline."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from ragate.baseline.recording.record_baseline import update_baseline
from ragate.baseline.recording.write_baseline import BaselineOutcome, baseline_files
from ragate.contrib.recorder.replies import load_replies
from ragate.errors import ProviderError
from ragate.models import Verdict
from ragate.stores.local import LocalStore
from tests.contrib.recorder.recorded_projects import checked, made, record
from tests.integration.recorded_project import KEY
from tests.repositories import commit, git
from tests.servers.openai_server import scripted

pytestmark = pytest.mark.integration


def test_a_baseline_is_not_recorded_without_a_key(project, server):
    with pytest.raises(ProviderError, match="cannot be asked"):
        record(project, key="")

    assert not project.recorded.exists()


def test_the_file_of_replies_is_byte_stable_and_holds_no_question(project, server):
    server.reply = scripted("It is so.")
    record(project, runs=1)
    first = project.recorded.read_bytes()
    text = gzip.decompress(first).decode()

    assert record(project, runs=1).outcome is BaselineOutcome.UNCHANGED
    assert project.recorded.read_bytes() == first
    assert "What is the value" not in text
    assert "It is so." in text
    assert len(text.splitlines()) == 1 + project.samples
    assert KEY not in text


def test_another_prompt_makes_the_baseline_anew_although_the_scores_are_the_same(recorded):
    first = recorded.recorded.read_bytes()
    made(recorded, code=recorded.code.replace("{text}", "Say it. {text}"))

    assert record(recorded).outcome is BaselineOutcome.REPLACED
    assert recorded.recorded.read_bytes() != first


def test_a_run_that_becomes_the_baseline_brings_its_replies(recorded, server):
    recorded.edit(3)
    checked(recorded)
    folder = max((recorded.root / ".ragate" / "runs").glob("*"))
    config = recorded.config()
    run = LocalStore(recorded.root / ".ragate").load(folder)
    for path, content in baseline_files(config, run, folder / "outputs.jsonl").items():
        (recorded.root / path).write_bytes(content)
    (recorded.root / ".ragate" / "cache.sqlite").unlink()
    asked = server.seen

    report = checked(recorded, key="")

    assert server.seen == asked
    assert (report.facts.affected, report.facts.errors) == (0, 0)


def test_a_recording_that_was_interrupted_ends_with_the_replies_of_all_its_calls(project, server):
    (project.root / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    git(project.root, "init", "-q")
    commit(project.root, "base")
    server.latency_s = 0.05
    config, operations = project.config(), project.operations(RAGATE_CONCURRENCY="1")

    async def broken_off() -> None:
        recording = asyncio.create_task(update_baseline(config, operations, runs=2))
        while server.seen < project.samples + 3:  # noqa: ASYNC110 - it is a thread of its own
            await asyncio.sleep(0.01)
        recording.cancel()
        await asyncio.gather(recording, return_exceptions=True)

    asyncio.run(broken_off())
    assert not project.recorded.exists()

    record(project, runs=2)

    draws = load_replies(project.recorded).draws
    assert [sorted(found) for found in draws.values()] == [[0, 1]] * project.samples
    assert server.seen <= 2 * project.samples + 1  # what was in flight


def test_with_store_hashes_no_reply_is_written(project, server):
    project = made(project, policy='store = "hashes"')
    record(project, runs=1)

    assert not project.recorded.exists()
    assert checked(project).decision.verdict is Verdict.PASSED


def test_a_project_that_stops_recording_loses_the_file(recorded, server, monkeypatch):
    text = (recorded.root / "ragate.toml").read_text().replace("record = true", "")
    (recorded.root / "ragate.toml").write_text(text)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    record(recorded, runs=1)

    assert not recorded.recorded.exists()
