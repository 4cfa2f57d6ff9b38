"""What a judged run tells of what it did not have to ask: answers, verdicts, and their cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import TOPICS, ReplayProject, right, write_docs_project
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]
JUDGED = """
[policy.providers.local]
base_url = "{url}"
[policy.providers.local.prices."answer-1"]
input_usd_per_million = 1000.0

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"

[policy.metrics.faithfulness]
level = "error"
"""
ANSWERED = """
[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.chdir(tmp_path)
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


def facts(root: Path) -> dict[str, Any]:
    newest = max((root / ".ragate" / "runs").glob("*/report.json"))
    found: dict[str, Any] = json.loads(newest.read_text())["facts"]
    return found


def test_a_run_counts_the_verdicts_that_were_there_already(tmp_path, server, capsys):
    project = ReplayProject(tmp_path, samples=6, metrics=JUDGED.format(url=server.base_url))
    project.record(right)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    project.record(lambda n, r: {**right(n, r), "answer": "It is 0."} if n == 0 else right(n, r))

    run(["check"])

    assert facts(tmp_path)["verdicts_reused"] == 5
    assert "5 verdicts reused" in " ".join(capsys.readouterr().out.split())


def test_a_run_counts_what_its_remembered_answers_had_cost(tmp_path, server, capsys):
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + JUDGED.format(url=server.base_url) + ANSWERED)
    run(["check"])
    assert facts(tmp_path)["saved_usd"] == 0.0
    paid = facts(tmp_path)["cost_usd"]
    capsys.readouterr()

    run(["check"])

    assert facts(tmp_path)["calls_reused"] == facts(tmp_path)["verdicts_reused"] == len(TOPICS)
    assert facts(tmp_path)["saved_usd"] == pytest.approx(paid)
    assert f"{len(TOPICS)} answers and {len(TOPICS)} verdicts reused" in " ".join(
        capsys.readouterr().out.split()
    )
