"""The report of a LlamaIndex evaluation of 15 questions, of which the answer to one failed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.protocols import ChatRequest
from tests.contrib.llamaindex_judge.known_answers import model, sound
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["*.jsonl"]
[policy.scorecard]
preset = "llamaindex"
[policy.providers.local]
base_url = "{url}"
[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"
[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
RANKS = {**dict.fromkeys(range(1, 7), 1), **dict.fromkeys(range(7, 11), 2), 11: 8}
"""Where the right proposal stands among what was retrieved; the other four questions miss it."""
GRADES = {13: 5.0, 14: 4.5, 15: 3.1}
FAILED, MADE_UP, BESIDE_THE_POINT = 4, (2, 9), 6


def golden(number: int) -> dict[str, Any]:
    question = {
        "id": f"query-{number:03d}",
        "query": f"What is the status of proposal {number}?",
        "relevant": {f"proposal-{number}": 1},
    }
    answered = {"references": [f"Proposal {number} was executed."]} if number in GRADES else {}
    return question | answered


def output(number: int) -> dict[str, Any]:
    text = f"The status of proposal {number} is executed."
    chunks = [{"doc_id": f"other-{place}", "text": text} for place in range(1, 16)]
    if number in RANKS:
        chunks[RANKS[number] - 1]["doc_id"] = f"proposal-{number}"
    found: dict[str, Any] = {"id": f"query-{number:03d}", "chunks": chunks}
    if number == FAILED:
        return found | {"error": "the model gave no answer in time"}
    made_up = "Purple zebras vetoed budgets, and the status of it was a secret."
    return found | {"answer": made_up if number in MADE_UP else text}


def reply(body: dict[str, Any]) -> str:
    """Return what the report's judge said of a question; known answers are judged soundly."""
    messages = tuple((one["role"], one["content"]) for one in body["messages"])
    text = messages[-1][1]
    named = re.search(r"proposal (\d+)", text)
    if named is None:
        known = model(sound)._next(ChatRequest(body["model"], messages))
        assert isinstance(known, str)
        return known
    number = int(named[1])
    if len(messages) == 2:
        return f"{GRADES[number]}\nbecause"
    bad = (BESIDE_THE_POINT,) if "Question: " in text else MADE_UP
    return "NO" if number in bad else "YES"


@pytest.fixture
def report(
    tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, Any], str]:
    """The report in JSON and as text, of a first run."""
    monkeypatch.chdir(tmp_path)
    server.reply = reply
    Path("ragate.toml").write_text(CONFIG.format(url=server.base_url))
    numbers = range(1, 16)
    Path("golden.jsonl").write_text("".join(json.dumps(golden(n)) + "\n" for n in numbers))
    Path("outputs.jsonl").write_text("".join(json.dumps(output(n)) + "\n" for n in numbers))
    run(["check", "--format", "json", "--output", "report.json"])
    run(["report", "latest"])
    return json.loads(Path("report.json").read_text()), Path("report.json").read_text()


def over_all(report: tuple[dict[str, Any], str], metric: str) -> float:
    (mean,) = [r["candidate"] for r in report[0]["decision"]["metrics"] if r["metric"] == metric]
    return round(float(mean), 3)


def test_what_was_retrieved_before_the_answer_failed_counts(report):
    assert over_all(report, "hit_rate@15") == 0.733
    assert over_all(report, "mrr@15") == 0.542


def test_judges_are_averaged_over_the_answers_that_succeeded(report):
    succeeded = {name: round(mean, 2) for name, mean in report[0]["succeeded"].items()}

    assert succeeded["faithfulness_binary"] == 0.86
    assert succeeded["relevancy"] == 0.93


def test_over_all_questions_the_failed_answer_counts_at_its_worst(report):
    assert over_all(report, "faithfulness_binary") == 0.8
    assert over_all(report, "relevancy") == 0.867


def test_correctness_is_that_of_the_three_questions_with_a_reference(report):
    assert over_all(report, "correctness") == 4.2
    assert "correctness" not in report[0]["succeeded"]


def test_both_averages_are_shown(report, capsys):
    run(["report", "latest"])

    told = " ".join(capsys.readouterr().out.split())
    assert "Of the 14 of 15 questions that succeeded:" in told
    assert "faithfulness_binary 85.7 %" in told
