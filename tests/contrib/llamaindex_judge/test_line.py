"""The whole line with LlamaIndex's evaluators, over real HTTP on loopback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import TOPICS, edit_apples, write_docs_project
from tests.servers.evaluator import evaluation
from tests.servers.faults import RESET
from tests.servers.model import answers_and_judges
from tests.servers.model_rules import refuses
from tests.servers.openai_server import FakeOpenAI
from tests.unit.judges.every_canary import every_canary

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]

KEY = "sk-canary-0123456789abcdef"
CONFIG = """
[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"

[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"
mode = "refine"

[policy.metrics.faithfulness_binary]
level = "error"

[policy.metrics.relevancy]
level = "error"

[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


def is_judgement(body: dict[str, Any]) -> bool:
    return evaluation(body) is not None


def answers_and_evaluates() -> Any:
    """Return a reply function: as an answerer by its contexts, as an evaluator by shared words."""
    answering = answers_and_judges()

    def reply(body: dict[str, Any]) -> str:
        found = evaluation(body)
        return answering(body) if found is None else found.verdict()

    return reply


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", KEY)
    server.reply = answers_and_evaluates()
    write_docs_project(tmp_path)
    config = (tmp_path / "ragate.toml").read_text()
    (tmp_path / "ragate.toml").write_text(config + CONFIG.format(url=server.base_url))
    return tmp_path


def test_a_baseline_is_judged_and_an_unchanged_run_makes_no_call(project, server, capsys):
    assert run(["baseline", "update", "--runs", "2"]) == 0
    judged = [body for _, _, body in server.requests if is_judgement(body)]
    server.requests.clear()
    capsys.readouterr()

    assert run(["check"]) == 0

    assert len(judged) >= 2 * len(TOPICS)
    assert server.requests == []
    shown = capsys.readouterr().out
    assert "faithfulness_binary" in shown
    assert "relevancy" in shown


def test_a_sample_is_explained_with_every_step_of_its_judge_and_without_a_call(
    project, server, capsys
):
    golden = project / "golden.jsonl"
    golden.write_text(golden.read_text().replace("the apples come", f"the apples ({KEY}) come"))
    assert run(["baseline", "update", "--runs", "1"]) == 0
    assert run(["check"]) == 0
    server.requests.clear()
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "apples"]) == 0

    shown = capsys.readouterr().out
    assert server.requests == []
    assert "Judge, question 1 of " in shown
    steps = shown.split("Judge, question 1 of ")[1]
    assert "faithfulness_binary" in steps
    assert "  | Please tell if a given piece of information is supported" in steps
    assert "  answered\n  | YES" in steps
    assert "(***)" in steps
    assert KEY not in steps


def test_chains_that_were_cut_off_go_on_where_they_stopped(project, server):
    honest = answers_and_evaluates()
    known = {each.output.answer for same in every_canary().values() for each in same}
    answered: list[str] = []

    def reply(body: dict[str, Any]) -> str:
        found = evaluation(body)
        if found is None or any(str(answer) in found.answer for answer in known):
            return str(honest(body))
        answered.append(json.dumps(body, sort_keys=True))
        return "NO"  # so that each chain is as long as it has contexts

    server.reply = reply
    plugged = server.next_fault
    server.next_fault = lambda: RESET if len(answered) >= 70 else None
    assert run(["baseline", "update", "--runs", "1"]) == 3
    assert 70 <= len(answered) < 130

    server.next_fault = plugged
    allowed = ["--accept", "faithfulness_binary", "--accept", "relevancy"]
    assert run(["baseline", "update", "--runs", "1", *allowed]) == 0
    assert len(answered) > 2 * 2 * len(TOPICS)
    assert len(answered) == len(set(answered))


@pytest.mark.parametrize(
    ("guidelines", "note"),
    [("", ""), ("Be kind.", "nothing checks this judge on guideline: no known answer fits")],
)
def test_a_report_names_what_no_canary_checks(project, server, capsys, guidelines, note):
    answering = server.reply

    def reply(body: dict[str, Any]) -> str:
        text = body["messages"][0]["content"]
        if "Guidelines:" not in text:
            return str(answering(body))
        return json.dumps({"passing": "Invoices" not in text, "feedback": ""})

    server.reply = reply
    path = project / "ragate.toml"
    config = path.read_text().replace('mode = "refine"', f'guidelines = "{guidelines}"')
    path.write_text(config + '\n[policy.metrics.guideline]\nlevel = "warn"\n')
    run(["baseline", "update", "--runs", "1"])
    edit_apples(project)
    capsys.readouterr()

    run(["check"])

    shown = capsys.readouterr().out
    assert ("nothing checks" in shown) is bool(note)
    assert note in shown


def test_a_sample_is_explained_question_by_question_with_what_was_answered(project, server, capsys):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("top_k = ", "top_k = 1 #"))
    run(["check"])
    server.requests.clear()
    capsys.readouterr()

    run(["report", "latest", "--explain", "apples"])

    asked = capsys.readouterr().out.split("Judge, question ")[1:]
    assert server.requests == []
    assert [each.splitlines()[0] for each in asked] == [
        "1 of 2: faithfulness_binary",
        "2 of 2: relevancy",
    ]
    assert all("\n  answered\n  | YES" in each for each in asked)


@pytest.mark.parametrize("says", ["YES", "NO"])
def test_an_estimate_tells_what_a_refining_judge_makes_at_least_and_at_most(
    project, server, capsys, says
):
    honest = answers_and_evaluates()
    known = {each.output.answer for same in every_canary().values() for each in same}

    def reply(body: dict[str, Any]) -> str:
        found = evaluation(body)
        if found is None or any(str(answer) in found.answer for answer in known):
            return str(honest(body))
        return str(says)

    server.reply = reply
    assert run(["check", "--estimate"]) == 0
    told = re.search(r"judgements: +(\d+) to (\d+) calls", capsys.readouterr().out)
    assert told is not None
    assert server.requests == []

    run(["check"])

    made = sum(is_judgement(body) for _, _, body in server.requests)
    assert int(told[1]) <= made <= int(told[2])
    assert (made - int(told[1]) < int(told[2]) - made) is (says == "YES")


def test_a_sample_is_explained_though_another_criterion_was_voided(project, server, capsys):
    honest = answers_and_evaluates()

    def reply(body: dict[str, Any]) -> str:
        found = evaluation(body)
        return "YES" if found is not None and found.query else str(honest(body))

    server.reply = reply
    run(["check"])
    server.requests.clear()
    assert "Why: relevancy" in capsys.readouterr().out

    run(["report", "latest", "--explain", "apples"])

    asked = capsys.readouterr().out.split("Judge, question ")[1:]
    assert server.requests == []
    assert {each.splitlines()[0].split(": ")[1] for each in asked} == {
        "faithfulness_binary",
        "relevancy",
    }
    assert all("\n  answered\n  | " in each for each in asked)


def test_a_sample_is_explained_whose_model_does_not_take_every_parameter(project, server, capsys):
    path = project / "ragate.toml"
    path.write_text(path.read_text().replace('"judge-1"', '"gpt-5-mini"'))
    server.rules = refuses
    run(["check"])
    capsys.readouterr()

    run(["report", "latest", "--explain", "apples"])

    shown = capsys.readouterr().out
    assert "not shown" not in shown
    assert "\n  answered\n  | YES" in shown
