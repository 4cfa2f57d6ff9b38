"""Embedding metrics in a gate: recorded, compared, red, and nothing asked where nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.embedders.hashing import HashingEmbedder
from tests.projects import ReplayProject

pytestmark = pytest.mark.integration
NAMES = (
    "embedded_answer_relevance",
    "embedded_correctness",
    "embedded_context_relevance",
    "embedded_sufficiency",
    "embedded_hallucination",
    "embedded_token_f1",
)
METRICS = '[policy.embedder]\nuse = "hashing"\n' + "".join(
    f'[policy.metrics.{name}]\nlevel = "error"\n' for name in NAMES
)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path, samples=12, metrics=METRICS)


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    embed = HashingEmbedder.__call__

    async def counted(self: HashingEmbedder, asked: Any) -> Any:
        texts.extend(asked)
        return await embed(self, asked)

    monkeypatch.setattr(HashingEmbedder, "__call__", counted)
    return texts


def wrong(number: int, _pass: int) -> dict[str, Any]:
    return {
        "answer": "Bananas grow on boats. Nobody knows.",
        "chunks": [{"doc_id": f"doc{number}.md", "text": "Tickets for the opera."}],
    }


def test_they_are_in_the_baseline_and_fail_a_change_in_the_gate_and_its_comment(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update", "--runs", "3"]) == 0
    gate.record(wrong, runs=3)

    assert run(["check"]) == 1

    rows = {row["metric"]: row for row in gate.report()["decision"]["metrics"]}
    assert {rows[name]["verdict"] for name in NAMES} == {"regressed"}
    assert rows["embedded_hallucination"]["candidate"] == 1.0
    reasons = {score["reason"] for row in gate.report()["samples"] for score in row["scores"]}
    assert "below 0.5: insufficient evidence was retrieved" in reasons
    capsys.readouterr()
    assert run(["report", "latest", "--format", "markdown"]) == 1
    assert "embedded_hallucination" in capsys.readouterr().out


def test_each_distinct_text_is_embedded_once_and_none_where_nothing_changed(
    gate: ReplayProject, embedded: list[str]
) -> None:
    assert run(["baseline", "update", "--runs", "3"]) == 0
    assert len(embedded) == len(set(embedded)) > 12
    embedded.clear()

    assert run(["check"]) == 0

    assert embedded == []


def test_without_an_embedder_the_run_ends_with_what_to_write(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.configure(metrics="[policy.metrics.embedded_correctness]\n")

    assert run(["check"]) == 2

    said = capsys.readouterr().err
    assert "embedded_correctness has no embedder: name one in [policy.embedder]" in said


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('use = "hashin"', "did you mean 'hashing'"),
        ("dimensions = 64", "use is missing"),
        ('use = "hashing"\ndimensions = 3', "dimensions = 3"),
        (
            'use = "openai"\nprovider = "nobody"\nmodel = "m"',
            "'nobody' is not in [policy.providers]",
        ),
    ],
)
def test_a_wrong_embedder_is_named_before_anything_runs(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str], table: str, message: str
) -> None:
    gate.configure(metrics=f"[policy.embedder]\n{table}\n[policy.metrics.embedded_correctness]\n")

    assert run(["check"]) == 2

    assert message in capsys.readouterr().err


def test_an_embedder_is_a_table(gate: ReplayProject, capsys: pytest.CaptureFixture[str]) -> None:
    gate.configure(policy='embedder = "hashing"', metrics="")

    assert run(["check"]) == 2

    assert "policy.embedder = 'hashing': must be a table" in capsys.readouterr().err


def test_a_metric_s_own_embedder_wins(gate: ReplayProject) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    own = METRICS.replace(
        "[policy.metrics.embedded_correctness]",
        '[policy.metrics.embedded_correctness]\nembedder = {use = "hashing", dimensions = 64}',
    )
    gate.configure(metrics=own)

    run(["check"])

    rows = {row["metric"]: row for row in gate.report()["decision"]["metrics"]}
    assert rows["embedded_correctness"]["verdict"] == "not_comparable"
    assert rows["embedded_answer_relevance"]["verdict"] != "not_comparable"


def test_doctor_takes_the_baseline_s_scores_for_those_of_the_policy(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update", "--runs", "2"]) == 0
    capsys.readouterr()

    run(["doctor"])

    assert "embedded_" not in capsys.readouterr().out
