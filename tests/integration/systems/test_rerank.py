"""A second stage over the built-in RAG: a rerank service on loopback, through the whole line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.integration.rag import Project, docs, write
from tests.projects import write_docs_project
from tests.servers.faults import status
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
SERVICE: dict[str, Any] = {"use": "endpoint", "provider": "p", "model": "m"}


@pytest.fixture
def project(tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI) -> Project:
    docs(tmp_path)
    made = Project(tmp_path, database)
    made.base_url = server.base_url
    return made


@pytest.mark.parametrize("form", ["cohere", "tei"])
def test_the_service_orders_the_candidates_and_the_first_ranking_is_kept(
    project: Project, server: FakeOpenAI, form: str
) -> None:
    before = project.ranking("pump")
    server.relevance = lambda _query, text: 1.0 if "blue" in text else 0.0

    output = project.ask("pump", top_k=1, rerank={**SERVICE, "form": form})

    assert before[0] != "notes.txt"
    assert [chunk.doc_id for chunk in output.chunks] == ["notes.txt"]
    assert output.chunks[0].metadata["first_rank"] == before.index("notes.txt") + 1
    assert output.first_stage == tuple(before)
    assert output.answer
    path, _, body = server.requests[-1]
    assert path.endswith("/rerank")
    assert body["query"] == "pump"


def test_only_the_candidates_are_sent(project: Project, server: FakeOpenAI) -> None:
    for number in range(10):
        write(project.root / f"docs/n{number}.txt", f"pump {number}")

    output = project.ask("pump", top_k=2, rerank={**SERVICE, "candidates": 4})

    assert len(server.requests[-1][2]["documents"]) == 4
    assert len(output.chunks) == 2
    assert len(output.first_stage or ()) == 4


def test_a_question_that_finds_nothing_asks_no_service(
    project: Project, server: FakeOpenAI
) -> None:
    output = project.ask("zebra", rerank=SERVICE)

    assert (output.chunks, output.first_stage, server.requests) == ((), (), [])


def test_a_service_that_fails_is_a_providers_failure(project: Project, server: FakeOpenAI) -> None:
    server.faults = [status(401)]

    output = project.ask("pump", rerank=SERVICE)

    assert output.error is not None
    assert output.error.kind == "provider"


def test_what_is_reranked_is_not_called_deterministic_and_has_its_own_fingerprint(
    project: Project,
) -> None:
    plain, ranked = project.info(), project.info(rerank=SERVICE)
    other = project.info(rerank={**SERVICE, "model": "n"})

    assert plain.deterministic
    assert ranked.deterministic == frozenset()
    assert len({plain.fingerprint, ranked.fingerprint, other.fingerprint}) == 3
    assert "reranker" in ranked.parts


def gated(root: Path, base_url: str) -> None:
    write_docs_project(root)
    text = (root / "ragate.toml").read_text()
    metrics = "".join(
        f'[policy.metrics."{name}"]\nlevel = "{level}"\n'
        for name, level in (("ndcg@2", "error"), ("first_stage_ndcg@2", "warn"))
    )
    provider = f'[policy.providers.ranker]\nbase_url = "{base_url}"\n'
    text = text.replace("[system]", f"{metrics}{provider}[system]")
    text += '[system.rerank]\nuse = "endpoint"\nprovider = "ranker"\nmodel = "m"\n'
    (root / "ragate.toml").write_text(text)


def test_a_reranker_is_gated_with_metrics_before_and_after_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: PostgresDatabase,
    server: FakeOpenAI,
) -> None:
    monkeypatch.setenv("RAGATE_DATABASE_URL", database.conninfo())
    monkeypatch.chdir(tmp_path)
    gated(tmp_path, server.base_url)
    server.relevance = lambda query, text: float(query.split()[3] in text.lower())
    assert run(["baseline", "update"]) == 0
    asked = len(server.requests)

    # Every question is known by now, so the check asks nothing.
    assert run(["check", "--save-outputs", str(tmp_path / "outputs.jsonl")]) == 0
    assert len(server.requests) == asked
    saved = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    assert all(line["first_stage"] for line in saved[1:])

    server.relevance = lambda query, text: -float(query.split()[3] in text.lower())
    assert run(["cache", "clear"]) == 0
    assert run(["check"]) == 1
    report = json.loads(max((tmp_path / ".ragate/runs").glob("*/report.json")).read_text())
    means = {row["metric"]: row for row in report["decision"]["metrics"]}
    assert means["ndcg@2"]["candidate"] == 0.0
    assert means["first_stage_ndcg@2"]["candidate"] == means["first_stage_ndcg@2"]["baseline"]
    assert means["first_stage_ndcg@2"]["candidate"] > 0.5

    # The stored outputs alone tell the same of the first stage.
    assert run(["decide", str(tmp_path / "outputs.jsonl")]) == 0
