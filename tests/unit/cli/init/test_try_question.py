"""One question to a system that was just configured."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from ragate.cli.init.try_question import offer_question, seen, what_runs
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


def offered(root: Path, typed: str) -> tuple[list[str], str]:
    with CliRunner().isolation(input=typed) as (out, *_):
        lines = offer_question(root)
        return lines, out.getvalue().decode()


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
    assert words in what_runs(config(tmp_path, f"[system]\n{system}\n"))


def test_nothing_runs_before_somebody_says_so(tmp_path: Path) -> None:
    project(tmp_path, "open('ran', 'w')\ndef answer(question): return 'x'")

    lines, shown = offered(tmp_path, "\n")

    assert lines == []
    assert "This would run: an import of" in shown
    assert not (tmp_path / "ran").exists()


def test_question_answer_and_documents_are_shown_with_what_does_not_fit(tmp_path: Path) -> None:
    chunk = '{"doc_id": "a.md", "text": "A"}'
    project(tmp_path, f"def answer(question): return {{'answer': '30 days', 'chunks': [{chunk}]}}")

    lines, _ = offered(tmp_path, "y\n")

    told = "\n".join(lines)
    assert "This is what ragate sees:" in told
    assert "question   How long?" in told
    assert "answer     30 days" in told
    assert "documents  a.md" in told
    assert "expected kb/a.md; came back a.md: the folder differs" in told


def test_a_system_that_cannot_be_asked_ends_no_init(tmp_path: Path) -> None:
    project(tmp_path, "raise RuntimeError('no index')")

    lines, _ = offered(tmp_path, "y\n")

    assert lines[0] == "It could not be asked:"
    assert any("RuntimeError: no index" in line for line in lines)


def test_the_failure_of_the_question_is_shown(tmp_path: Path) -> None:
    failure = SystemOutput(error=Failure(kind="system", message="KeyError: 'x'"))
    output = SystemOutput(answer="", chunks=(RetrievedChunk(doc_id="kb/a.md"),))
    loaded = config(tmp_path, '[system]\nuse = "python"\ntarget = "a:b"\n')

    assert "  error      KeyError: 'x'" in list(seen(loaded, SAMPLE, failure))
    assert "  answer     empty" in list(seen(loaded, SAMPLE, output))
