"""A scorecard of which stages are left out: those that are left gate, and the others are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.integration.scorecard.test_scorecard_line import row_of
from tests.integration.scorecard.test_spared_calls import reply
from tests.projects import ReplayProject, right
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
JUDGE = """
[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
"""
# Its stages alone decide, as with a preset.
LLAMAINDEX = '[policy.scorecard]\npreset = "llamaindex"\n'


def without_documents(number: int, _run: int) -> dict[str, Any]:
    return {**right(number, 0), "chunks": [{"doc_id": "other.md", "text": "Something else."}]}


@pytest.fixture
def judged(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """A project whose scorecard alone gates, recorded with its judge."""
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.setenv("TEST_KEY", "k")
    monkeypatch.chdir(tmp_path)
    server.reply = reply
    project = ReplayProject(tmp_path, samples=20)
    configure(project, LLAMAINDEX + JUDGE.format(url=server.base_url))
    assert run(["baseline", "update"]) == 0
    return project


def configure(project: ReplayProject, tables: str, *, policy: str = "") -> None:
    project.configure(metrics=tables, policy=policy)
    text = (project.root / "ragate.toml").read_text()
    for metric in ('"hit_rate@5"', "token_f1"):
        text = text.replace(f'[policy.metrics.{metric}]\nlevel = "error"\n', "")
    (project.root / "ragate.toml").write_text(text)


def flowing(text: str) -> str:
    """Return what a terminal shows, without its line breaks."""
    return " ".join(text.split())


def decision_of(project: ReplayProject) -> dict[str, Any]:
    found: dict[str, Any] = project.report()["decision"]
    return found


def test_a_stage_that_is_skipped_leaves_the_others_gated(carded):
    assert run(["check", "--skip", "hit_rate@5"]) == 0

    row = row_of(carded, "pass_rate")
    assert (row["baseline"], row["candidate"], row["level"]) == (1.0, 1.0, "error")


def test_what_fails_a_stage_that_is_left_fails_the_gate(carded):
    carded.record(lost(2), runs=3)

    assert run(["check", "--skip", "hit_rate@5"]) == 1

    row = row_of(carded, "pass_rate")
    assert (row["baseline"], row["candidate"], row["blocks"]) == (1.0, 0.5, True)


def test_weights_are_shared_anew_among_the_stages_that_are_left(carded):
    carded.record(without_documents)

    run(["check", "--skip", "hit_rate@5"])

    assert row_of(carded, "overall_score")["candidate"] == 1.0


def test_the_report_is_partial_and_names_what_was_not_measured(carded, capsys):
    run(["check", "--skip", "hit_rate@5"])

    told = "pass_rate and overall_score are those of 1 of 2 stages; not measured: retrieval"
    assert told in flowing(capsys.readouterr().out)
    assert carded.report()["partial"] is True


def test_without_any_stage_there_is_no_scorecard(carded, capsys):
    assert run(["check", "--skip", "hit_rate@5,token_f1"]) == 3

    told = "the scorecard was left out; not measured: retrieval, answer"
    assert told in flowing(capsys.readouterr().out)


def test_retrieval_alone_is_gated_by_a_preset_of_answers(judged, server):
    server.requests.clear()

    assert run(["check", "--retrieval-only"]) == 0
    assert server.requests == []
    judged.record(without_documents)
    assert run(["check", "--retrieval-only"]) == 1
    assert row_of(judged, "pass_rate")["candidate"] == 0.0


def test_without_correctness_the_other_evaluators_gate(judged):
    assert run(["check", "--skip", "correctness"]) == 0
    judged.record(without_documents)
    assert run(["check", "--skip", "correctness"]) == 1


def test_explain_shows_the_stages_that_are_left(judged, capsys):
    run(["check", "--retrieval-only"])
    capsys.readouterr()

    run(["report", "latest", "--explain", "q0"])

    assert "overall_score" in capsys.readouterr().out


def judge_free(judged: ReplayProject, server: FakeOpenAI, more: str = "") -> None:
    tables = LLAMAINDEX + more + JUDGE.format(url=server.base_url)
    configure(judged, tables, policy='without_key = "judge-free"')


def test_without_the_judges_key_the_stages_without_a_judge_gate(
    judged, server, monkeypatch, capsys
):
    judge_free(judged, server)
    monkeypatch.delenv("TEST_KEY")

    assert run(["check"]) == 0
    assert judged.report()["partial"] is True
    assert "of 2 of 5 stages" in flowing(capsys.readouterr().out)
    judged.record(without_documents)
    assert run(["check"]) == 1


def test_a_required_stage_without_its_key_cannot_pass(judged, server, monkeypatch, capsys):
    required = "[policy.scorecard.stages.faithfulness]\nrequired = true\n"
    judge_free(judged, server, required)
    monkeypatch.delenv("TEST_KEY")

    assert run(["check"]) == 3

    said = "not measured, and required by the scorecard: faithfulness"
    assert said in decision_of(judged)["reasons"]
    assert said in flowing(capsys.readouterr().out)


def test_a_required_stage_that_a_person_leaves_out_may_pass(judged, server, monkeypatch):
    required = "[policy.scorecard.stages.faithfulness]\nrequired = true\n"
    judge_free(judged, server, required)
    monkeypatch.delenv("TEST_KEY")

    assert run(["check", "--retrieval-only"]) == 0
