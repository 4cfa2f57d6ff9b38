"""A provider that throttles or hangs is no regression: what it left unanswered is unscored."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from ragate.answers.run_profile import Selection
from ragate.baseline.recording.record_baseline import update_baseline
from ragate.cli.main import run
from ragate.models import Report, Verdict
from tests.integration.recorded_project import PLAIN, RecordedProject
from tests.projects import write_docs_project
from tests.runs import check
from tests.servers.faults import RateLimit
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration


# A client that waits .4 s, for a server that takes longer.
IMPATIENT = PLAIN.replace("timeout=60", "timeout=0.4")


def record(project: RecordedProject) -> None:
    """Write a baseline, and forget its replies: each request is asked again."""
    config = project.config()
    allowed = config.policy.gated
    asyncio.run(update_baseline(config, project.operations(), runs=1, accept=allowed))
    project.recorded.unlink()
    (project.root / ".ragate" / "cache.sqlite").unlink()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline, to be copied."""
    with openai_server() as fake:
        project = RecordedProject(tmp_path_factory.mktemp("recording"), fake.base_url, samples=12)
        record(project)
    return project.root


@pytest.fixture
def project(recording: Path, tmp_path: Path, server: FakeOpenAI) -> RecordedProject:
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    return RecordedProject(tmp_path, server.base_url, samples=12)


def throttled(project: RecordedProject, *, timeout_s: float) -> Report:
    project.configure()  # a module that nobody has imported
    operations = project.operations(
        RAGATE_TIMEOUT_S=str(timeout_s), RAGATE_CONCURRENCY="12", RAGATE_DEBUG=""
    )
    return asyncio.run(check(project.config(), operations, Selection(runs=1)))


def undecided(project: RecordedProject, *, timeout_s: float) -> None:
    """Check what is asked to the end, since a recorder tells what is pending, and not decided."""
    report = throttled(project, timeout_s=timeout_s)

    assert report.decision.verdict is Verdict.NO_DECISION, report.decision.reasons


def kinds(root: Path) -> list[str]:
    """Return whose failures the newest run holds."""
    newest = max((root / ".ragate" / "runs").iterdir())
    rows = map(json.loads, (newest / "outputs.jsonl").read_text().splitlines())
    return [row["error"]["kind"] for row in rows if row.get("error")]


def test_refusals_for_half_of_the_questions_are_no_regression(project, server):
    server.limit = RateLimit(rate=0.2, burst=6, tell=False)

    undecided(project, timeout_s=2.0)

    assert set(kinds(project.root)) == {"provider"}


def test_a_provider_that_hangs_is_no_regression(project, server):
    server.latency_s = 30.0

    undecided(project, timeout_s=2.0)

    assert set(kinds(project.root)) == {"provider"}


def test_code_that_loses_patience_with_its_provider_is_no_regression(project, server):
    project.code = IMPATIENT
    server.latency_s = 20.0

    undecided(project, timeout_s=60.0)

    assert set(kinds(project.root)) == {"provider"}


def test_code_that_answers_without_its_provider_is_not_measured(project, server):
    project.code = f"""{IMPATIENT}
    ask = answer

    def answer(query):
        try:
            return ask(query)
        except httpx2.TimeoutException:
            return "I am sorry."
    """
    server.latency_s = 20.0

    undecided(project, timeout_s=60.0)

    assert set(kinds(project.root)) == {"provider"}


def test_code_that_hangs_by_itself_still_fails(project):
    project.code = PLAIN.replace(
        "        return {",
        "        import time; time.sleep(60 * (int(number) < 8))\n        return {",
    )

    report = throttled(project, timeout_s=2.0)

    assert report.decision.verdict is Verdict.FAILED
    assert set(kinds(project.root)) == {"system"}


COMMAND = """
import json, os, sys, urllib.request

print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": asked["query"]}]}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    reply = json.load(urllib.request.urlopen(request))
    told = reply["choices"][0]["message"]["content"]
    print(json.dumps({"id": asked["id"], "answer": told}), flush=True)
"""


def test_a_recorded_command_whose_provider_hangs_is_not_measured(tmp_path, server):
    (tmp_path / "rag.py").write_text(COMMAND)
    system = f'use = "command"\ncommand = ["{sys.executable}", "rag.py"]\nready = true'
    project = RecordedProject(tmp_path, server.base_url, samples=2, system=system)
    record(project)
    server.latency_s = 60.0

    undecided(project, timeout_s=2.0)

    assert set(kinds(tmp_path)) == {"provider"}


BUILT_IN = """
[policy.providers.local]
base_url = "{url}"

[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


@pytest.mark.usefixtures("served")
def test_the_built_in_rag_is_not_blamed_for_its_providers_refusals(tmp_path, server, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)
    with (tmp_path / "ragate.toml").open("a") as config:
        config.write(BUILT_IN.format(url=server.base_url))
    assert run(["baseline", "update", "--runs", "1", "--accept", "token_f1"]) == 0
    for page in (tmp_path / "docs").iterdir():
        page.write_text(page.read_text().replace("picked", "taken"))
    server.limit = RateLimit(rate=0.2, burst=4, tell=False)
    monkeypatch.setenv("RAGATE_TIMEOUT_S", "1")
    monkeypatch.setenv("RAGATE_CONCURRENCY", "4")

    assert run(["check", "--runs", "1"]) == 3

    assert set(kinds(tmp_path)) == {"provider"}
