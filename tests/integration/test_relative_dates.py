"""Questions that mean another thing every day: asked as of a date, and noted."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.core.hashing import content_hash
from ragate.dataset import read_dataset
from tests.projects import write_docs_project
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration

PYTHON = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python"]
[policy.metrics.token_f1]
level = "error"
[policy.profiles.fixed]
eval_date = 2026-01-31
[system]
use = "python"
target = "dated_rag:answer"
"""
RAG = """\
def answer(sample):
    note = open("asked.txt", "a")
    note.write(f"{sample.query}|{sample.metadata.get('eval_date')}\\n")
    note.close()
    return {"answer": "Yes.", "contexts": []}
"""
CHAT = """
[policy.providers.local]
base_url = "{url}"
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
[policy.metrics.faithfulness]
level = "error"
[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
prompt = "prompt.md"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ragate.toml").write_text(PYTHON)
    (tmp_path / "dated_rag.py").write_text(RAG)
    golden(tmp_path, "Is it {today}?")
    return tmp_path


def golden(project: Path, query: str) -> None:
    rows = [{"id": f"q{n}", "query": f"{n}: {query}", "references": ["Yes."]} for n in range(10)]
    (project / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")


def asked(project: Path) -> set[str]:
    path = project / "asked.txt"
    found = set(path.read_text().splitlines())
    path.unlink()
    return found


def check(*options: str, code: int = 0) -> dict[str, Any]:
    assert run(["check", *options, "--format", "json", "--output", "r.json"]) == code
    found: dict[str, Any] = json.loads(Path("r.json").read_text())
    return found


def warned(found: dict[str, Any]) -> list[str]:
    return [one for one in found["decision"]["warnings"] if one.startswith("asked as of")]


def test_a_question_is_asked_on_its_date_and_stays_the_same_sample(project: Path) -> None:
    assert run(["baseline", "update", "--eval-date", "2026-01-31"]) == 0
    assert "0: Is it 2026-01-31?|2026-01-31" in asked(project)
    baseline = json.loads((project / "baselines/gate.json").read_text())
    assert baseline["eval_date"] == "2026-01-31"
    sample = read_dataset(project / "golden.jsonl")[0]
    assert baseline["samples"]["q0"]["hash"] == content_hash(sample)

    assert warned(check("--eval-date", "2026-01-31")) == []
    assert warned(check("--profile", "fixed")) == []
    found = check("--eval-date", "2026-02-01")
    assert found["data"]["matched"] == 10
    (warning,) = warned(found)
    assert warning.startswith("asked as of 2026-02-01, and the baseline as of 2026-01-31")
    assert "--eval-date 2026-01-31 asks as the baseline was" in warning


def test_without_the_option_the_date_is_today(project: Path) -> None:
    before = datetime.datetime.now(datetime.UTC).date().isoformat()

    assert run(["baseline", "update"]) == 0

    after = datetime.datetime.now(datetime.UTC).date().isoformat()  # another at midnight
    said = {f"3: Is it {today}?|{today}" for today in (before, after)}
    assert said & set(asked(project))


def test_a_date_that_no_question_names_leaves_the_baseline_as_it_was(project: Path) -> None:
    golden(project, "Is it so?")

    assert run(["baseline", "update"]) == 0
    assert "eval_date" not in json.loads((project / "baselines/gate.json").read_text())
    assert warned(check()) == []


def test_collected_outputs_tell_their_date(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update", "--eval-date", "2026-01-31"]) == 0
    assert run(["collect", "--eval-date", "2026-02-02"]) == 0
    assert run(["decide", "--format", "json", "--output", "r.json"]) == 0

    assert "collected as of 2026-02-02" in capsys.readouterr().err
    assert len(warned(json.loads(Path("r.json").read_text()))) == 1


@pytest.mark.parametrize("date", ["yesterday", "2026-02-30", "31.01.2026"])
def test_what_is_no_date_is_an_error(project: Path, date: str) -> None:
    assert run(["check", "--eval-date", date]) == 2


def test_a_prompt_and_a_judge_read_the_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeOpenAI
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_STATE_DIR", str(tmp_path / "state"))
    server.reply = answers_and_judges()
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + CHAT.format(url=server.base_url))
    (tmp_path / "prompt.md").write_text(
        "As of {{ today }}: {{ question }}\n{% for one in contexts %}{{ one.text }}\n{% endfor %}"
    )
    text = (tmp_path / "golden.jsonl").read_text()
    (tmp_path / "golden.jsonl").write_text(text.replace("come from?", "come from on {today}?"))

    assert run(["baseline", "update", "--runs", "1", "--eval-date", "2026-01-31"]) == 0

    sent = [json.dumps(body, ensure_ascii=False) for _, _, body in server.requests]
    answers = [one for one in sent if "As of 2026-01-31" in one]
    judged = [one for one in sent if "response_format" in one and "orchard" in one]
    assert len(answers) == 8
    assert all("on 2026-01-31?" in one for one in answers)
    assert judged
    assert any("on 2026-01-31?" in one for one in judged)
    assert not any("{today}" in one for one in sent)
