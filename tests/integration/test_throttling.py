"""A provider that throttles or hangs is no regression: what it left unanswered is unscored."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.models import Report, Verdict
from ragate.pipeline.baseline.record_baseline import update_baseline
from ragate.pipeline.run.run_profile import Selection
from tests.integration.recorded_project import SYNC, RecordedProject
from tests.projects import write_docs_project
from tests.runs import check
from tests.servers.faults import RateLimit
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


def impatient(code: str) -> str:
    """Return `code` with a client that waits .4 s, for a server that takes longer."""
    return code.replace("openai.OpenAI()", "openai.OpenAI(timeout=0.4, max_retries=0)")


def recorded(
    root: Path, server: FakeOpenAI, code: str = SYNC, system: str = "", samples: int = 12
) -> RecordedProject:
    """Return a project with a baseline, whose every request is then asked again."""
    project = RecordedProject(root, server.base_url, samples=samples, code=code)
    if system:
        project.system = system
        project.configure()
    config = project.config()
    allowed = config.policy.gated
    asyncio.run(update_baseline(config, project.operations(), runs=1, accept=allowed))
    project.recorded.unlink()
    (root / ".ragate" / "cache.sqlite").unlink()
    return project


def throttled(project: RecordedProject, *, timeout_s: float = 3.0) -> Report:
    project.configure()
    operations = project.operations(
        RAGATE_TIMEOUT_S=str(timeout_s), RAGATE_CONCURRENCY="12", RAGATE_DEBUG=""
    )
    return asyncio.run(check(project.config(), operations, Selection(runs=1)))


def kinds(root: Path) -> list[str]:
    """Return whose failures the newest run holds."""
    newest = max((root / ".ragate" / "runs").iterdir())
    rows = map(json.loads, (newest / "outputs.jsonl").read_text().splitlines())
    return [row["error"]["kind"] for row in rows if row.get("error")]


def test_refusals_for_half_of_the_questions_are_no_regression(tmp_path, server):
    project = recorded(tmp_path, server)
    server.limit = RateLimit(rate=0.2, burst=6, tell=False)

    report = throttled(project)

    assert report.decision.verdict is Verdict.NO_DECISION, report.decision.reasons
    assert set(kinds(tmp_path)) == {"provider"}


def test_a_provider_that_hangs_is_no_regression(tmp_path, server):
    project = recorded(tmp_path, server)
    server.latency_s = 30.0

    report = throttled(project, timeout_s=2.0)

    assert report.decision.verdict is Verdict.NO_DECISION, report.decision.reasons
    assert set(kinds(tmp_path)) == {"provider"}


def test_code_that_loses_patience_with_its_provider_is_no_regression(tmp_path, server):
    project = recorded(tmp_path, server)
    project.code = impatient(SYNC)
    server.latency_s = 20.0

    report = throttled(project, timeout_s=60.0)

    assert report.decision.verdict is Verdict.NO_DECISION, report.decision.reasons
    assert set(kinds(tmp_path)) == {"provider"}


def test_code_that_answers_without_its_provider_is_not_measured(tmp_path, server):
    code = """
        import openai

        CLIENT = openai.OpenAI()
        CLIENT.chat.completions

        def answer(query):
            try:
                reply = CLIENT.chat.completions.create(
                    model="gpt-4o-mini", messages=[{"role": "user", "content": query}]
                )
            except openai.APITimeoutError:
                return "I am sorry."
            return reply.choices[0].message.content
    """
    project = recorded(tmp_path, server, code)
    project.code = impatient(code)
    server.latency_s = 20.0

    report = throttled(project, timeout_s=60.0)

    assert report.facts.errors == project.samples
    assert set(kinds(tmp_path)) == {"provider"}


def test_code_that_hangs_by_itself_still_fails(tmp_path, server):
    project = recorded(tmp_path, server)
    project.code = SYNC.replace(
        "        return {",
        "        import time; time.sleep(60 * (int(number) < 8))\n        return {",
    )

    report = throttled(project, timeout_s=5.0)

    assert report.decision.verdict is Verdict.FAILED
    assert set(kinds(tmp_path)) == {"system"}


COMMAND = """
import json, sys
import openai

client = openai.OpenAI()
client.chat.completions
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    reply = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": asked["query"]}]
    )
    print(json.dumps({"id": asked["id"], "answer": reply.choices[0].message.content}), flush=True)
"""


def test_a_recorded_command_whose_provider_hangs_is_not_measured(tmp_path, server):
    (tmp_path / "rag.py").write_text(COMMAND)
    system = f'use = "command"\ncommand = ["{sys.executable}", "rag.py"]\nready = true'
    project = recorded(tmp_path, server, system=system, samples=2)
    server.latency_s = 60.0

    throttled(project, timeout_s=5.0)

    assert set(kinds(tmp_path)) == {"provider"}


BUILT_IN = """
[policy.providers.local]
base_url = "{url}"

[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


def test_the_built_in_rag_is_not_blamed_for_its_providers_refusals(tmp_path, server, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)
    with (tmp_path / "ragate.toml").open("a") as config:
        config.write(BUILT_IN.format(url=server.base_url))
    assert run(["baseline", "update", "--runs", "1", "--accept", "token_f1"]) == 0
    for page in (tmp_path / "docs").iterdir():
        page.write_text(page.read_text().replace("picked", "taken"))
    server.limit = RateLimit(rate=0.2, burst=4, tell=False)
    monkeypatch.setenv("RAGATE_TIMEOUT_S", "3")
    monkeypatch.setenv("RAGATE_CONCURRENCY", "4")

    assert run(["check", "--runs", "1"]) == 3

    assert set(kinds(tmp_path)) == {"provider"}
