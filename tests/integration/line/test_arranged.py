"""Samples that arrange the passages, from the golden set to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration
CONFIG = """
system = {use = "python", target = "TARGET"}
[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["python"]
[policy.metrics.answer_consistency]
level = "error"
minimum = 0.9
variant = "reversed"
"""
CODE = """
def answer(query, arrange):
    hits = ["Pumps are blue.", "Pumps are heavy."]
    hits = hits[::-1] if arrange == "reversed" else hits
    return {"answer": hits[0], "chunks": [{"doc_id": hit, "text": hit} for hit in hits]}
def deaf(query):
    return "Pumps are blue."
"""


def project(root: Path, name: str) -> None:
    plain = {"id": "q", "query": "What are pumps?", "references": ["Pumps are blue."]}
    varied = {"id": "q-2", "arrange": "reversed", "metadata": {"variant_of": "q"}}
    varied["metadata"]["variant"] = "reversed"  # type: ignore[index]
    rows = [plain, {**plain, **varied}]
    (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "arranging.py").write_text(CODE)
    (root / "ragate.toml").write_text(CONFIG.replace("TARGET", f"arranging:{name}"))


def test_a_system_that_depends_on_the_order_of_passages_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    project(tmp_path, "answer")

    assert run(["baseline", "update", "--accept", "answer_consistency"]) == 0  # below its floor
    assert run(["check"]) == 1
    assert "answer_consistency" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["baseline", "update"], ["check"], ["collect"]])
def test_a_system_that_arranges_nothing_is_not_asked_at_all(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    project(tmp_path, "deaf")

    assert run(command) == 2
    assert "the sample q-2 has arrange = 'reversed', which the system python" in (
        capsys.readouterr().err
    )
