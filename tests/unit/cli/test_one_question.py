"""One question to the system of a gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.finding import Finding, Status, guarded
from ragate.cli.one_question import CHECK, one_question, seen, what_runs
from ragate.cli.operations import open_config
from ragate.config import Config, parse_config
from ragate.models import Failure, RetrievedChunk, Sample, SystemOutput

POLICY = """
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["python", "http"]
[policy.metrics.error_rate]
level = "error"
"""
SYSTEM = '[system]\nuse = "python"\ntarget = "{name}:answer"\n'
SAMPLE = Sample(id="q1", query="How long?", relevant={"kb/a.md": 1})


def config(root: Path, system: str) -> Config:
    return parse_config(POLICY + system, where="ragate.toml", root=root)


def project(root: Path, code: str) -> Path:
    name = f"rag_{root.name}".replace("-", "_")
    (root / f"{name}.py").write_text(code)
    (root / "ragate.toml").write_text(POLICY + SYSTEM.format(name=name))
    (root / "golden.jsonl").write_text('{"query": "How long?", "relevant": ["kb/a.md"]}\n')
    return root


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (
            'use = "http"\nurl = "http://h/ask"\nstart = ["uvicorn", "a:b"]\nhealth = "http://h/"',
            "uvicorn a:b, then a request to http://h/ask",
        ),
        ('use = "http"\nurl = "http://h/ask"', "a request to http://h/ask"),
        ('use = "python"\ntarget = "a:b"', "an import of a:b by this Python, and one call of it"),
        (
            'use = "python"\ntarget = "a:b"\ninterpreter = ["uv", "run", "python"]',
            "an import of a:b by uv run python",
        ),
    ],
)
def test_what_would_run_is_shown(tmp_path: Path, system: str, words: str) -> None:
    asked = config(tmp_path, f"[system]\n{system}\n").system

    assert words in what_runs(asked.use, asked.settings)


def test_the_failure_of_the_question_is_shown() -> None:
    failure = SystemOutput(error=Failure(kind="system", message="KeyError: 'x'"))
    output = SystemOutput(answer="", chunks=(RetrievedChunk(doc_id="kb/a.md"),))

    assert "error      KeyError: 'x'" in list(seen(SAMPLE, failure))
    assert "answer     empty" in list(seen(SAMPLE, output))


def doctor(root: Path, *, wanted: bool) -> list[Finding]:
    loaded, operations = open_config(root / "ragate.toml")
    return guarded(CHECK, lambda: one_question(loaded, operations, [SAMPLE], wanted=wanted))


def test_doctor_asks_nothing_unless_told(tmp_path: Path) -> None:
    project(tmp_path, "open('ran', 'w')\ndef answer(question): return 'x'")

    (found,) = doctor(tmp_path, wanted=False)

    assert found.status is Status.SKIPPED
    assert "`ragate doctor --ask` asks the first one; it runs an import of" in found.message
    assert not (tmp_path / "ran").exists()


def test_doctor_shows_what_came_back_and_what_does_not_fit(tmp_path: Path) -> None:
    chunk = '{"doc_id": "a.md", "text": "A"}'
    project(tmp_path, f"def answer(question): return {{'answer': '30 days', 'chunks': [{chunk}]}}")

    seen_of_it, spelt = doctor(tmp_path, wanted=True)

    assert "answer     30 days\ndocuments  a.md\nexpected   kb/a.md" in seen_of_it.message
    assert 'reply      {"answer": "30 days", "chunks": [{"doc_id": "a.md"' in seen_of_it.message
    assert "ids        stands at /chunks/*/doc_id" in seen_of_it.message
    assert spelt.status is Status.WARNING
    assert "expected kb/a.md; came back a.md: the folder differs" in spelt.message


@pytest.mark.parametrize(
    ("code", "said", "exit_code"),
    [
        ("raise RuntimeError('no index')", "RuntimeError: no index", 2),
        ("def answer(question): return 1 / 0", "ZeroDivisionError", 3),
    ],
)
def test_doctor_says_why_no_answer_came(
    tmp_path: Path, code: str, said: str, exit_code: int
) -> None:
    (found,) = doctor(project(tmp_path, code), wanted=True)

    assert (found.status, found.exit_code) == (Status.PROBLEM, exit_code)
    assert said in found.message


def test_doctor_says_which_key_reads_an_answer_that_stands_elsewhere(tmp_path: Path) -> None:
    code = "def answer(question): return {'reply': '30 days', 'citations': [{'source': 'a.md'}]}"

    (found,) = doctor(project(tmp_path, code), wanted=True)

    assert found.status is Status.PROBLEM
    assert 'below [system.pointers] where the parts stand: answer = "/reply"' in found.remedy


def test_doctor_names_no_key_where_the_answer_is_read_and_another_part_is_wrong(
    tmp_path: Path,
) -> None:
    code = "def answer(question): return {'answer': '30 days', 'chunks': 'a.md'}"

    (found,) = doctor(project(tmp_path, code), wanted=True)

    assert "returned chunks as a str" in found.message
    assert found.remedy.startswith("mend the system first")


def test_doctor_names_what_it_would_need(tmp_path: Path) -> None:
    _, operations = open_config(project(tmp_path, "") / "ragate.toml")

    (found,) = one_question(None, operations, [SAMPLE], wanted=True)

    assert found.message == "not checked: ragate.toml cannot be read"


def test_without_a_golden_set_any_question_is_asked(tmp_path: Path) -> None:
    loaded, operations = open_config(
        project(tmp_path, "def answer(question): return question") / "ragate.toml"
    )

    (found,) = one_question(loaded, operations, [], wanted=True)

    assert "answer     What can you tell me?" in found.message
