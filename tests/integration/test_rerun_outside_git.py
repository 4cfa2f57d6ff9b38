"""Running a commit again where the state outside git has changed: the newest run alone decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.repositories import commit, git
from tests.servers.rag_server import RagServer, Request, rag_server

pytestmark = pytest.mark.integration

QUESTIONS = 38
EACH = 4  # questions that one document answers
LOST = {"d0", "d1"}
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["python", "http"]
http_hosts = ["{host}"]
[policy.metrics."recall@5"]
[system]
{system}
"""
TABLES = """
import os
import psycopg

ASKED = []

def ask(query):
    ASKED.append(query)
    if len(ASKED) > int(os.environ.get("DOWN_AFTER", "1000")):
        os.environ["OWN_DATABASE"] = "host=127.0.0.1 port=1 dbname=none"
    number = int(query.removeprefix("What is ").removesuffix("?"))
    with psycopg.connect(os.environ["OWN_DATABASE"], connect_timeout=2) as connection:
        found = connection.execute(
            "SELECT id, body FROM own_documents WHERE id = %s", (f"d{number // 4}",)
        ).fetchall()
    return {"answer": "It is.", "chunks": [{"doc_id": id, "text": body} for id, body in found]}
"""


class Documents:
    """What a service holds, and how it answers from it."""

    def __init__(self) -> None:
        self.held = {f"d{number // EACH}" for number in range(QUESTIONS)}

    def answer(self, request: Request) -> Any:
        number = int(request.json["query"].removeprefix("What is ").removesuffix("?"))
        doc = f"d{number // EACH}"
        chunks = [{"doc_id": doc, "text": f"Text of {doc}."}] if doc in self.held else []
        return {"answer": "It is.", "chunks": chunks}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    lines = [
        {"id": f"q{n}", "query": f"What is {n}?", "relevant": {f"d{n // EACH}": 1}}
        for n in range(QUESTIONS)
    ]
    (root / "golden.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return root


def recorded(root: Path, system: str, *, host: str = "127.0.0.1:1") -> None:
    """Commit a project with its baseline."""
    (root / "ragate.toml").write_text(CONFIG.format(system=system, host=host))
    commit(root, "base")
    assert run(["baseline", "update"]) == 0
    commit(root, "baseline")


def report(root: Path) -> dict[str, Any]:
    newest = max((root / ".ragate" / "runs").glob("*/report.json"))
    found: dict[str, Any] = json.loads(newest.read_text())
    return found


@pytest.fixture
def service(root: Path) -> Iterator[tuple[Documents, RagServer]]:
    documents = Documents()
    with rag_server(documents.answer) as server:
        recorded(root, f'use = "http"\nurl = "{server.url}"', host=server.host)
        yield documents, server


def test_a_service_that_lost_documents_after_green_checks_fails(root: Path, service):
    documents, _ = service
    for _ in range(3):
        assert run(["check"]) == 0
    documents.held -= LOST

    assert run(["check"]) == 1

    decision = report(root)["decision"]
    (row,) = (row for row in decision["metrics"] if row["metric"] == "recall@5")
    assert row["candidate"] == pytest.approx(30 / 38)
    earlier = decision["earlier"]
    assert sum(each["passes"] for each in earlier["runs"]) == 3
    assert (earlier["metrics"][0]["earlier"], earlier["metrics"][0]["newest"]) == (
        1.0,
        row["candidate"],
    )
    assert not any(each["failed"] for each in earlier["runs"])


def test_outputs_of_a_stored_run_are_decided_on_as_that_run_was(root: Path, service):
    documents, _ = service
    for _ in range(3):
        assert run(["check"]) == 0
    documents.held -= LOST
    assert run(["check"]) == 1
    newest = max((root / ".ragate" / "runs").glob("*/outputs.jsonl"))

    assert run(["decide", str(newest)]) == 1

    assert report(root)["decision"]["metrics"][0]["candidate"] == pytest.approx(30 / 38)


def after_green_checks(root: Path, documents: Documents) -> str:
    """Lose documents after three green checks; return the outputs file of the red one."""
    for _ in range(3):
        assert run(["check"]) == 0
    documents.held -= LOST
    assert run(["check"]) == 1
    return str(max((root / ".ragate" / "runs").glob("*/outputs.jsonl")))


def written(root: Path, *command: str) -> dict[str, Any]:
    """Run a command that writes its report, and return the report's only metric."""
    run([*command, "--format", "json", "--output", "report.json"])
    (row,) = json.loads((root / "report.json").read_text())["decision"]["metrics"]
    found: dict[str, Any] = row
    return found


@pytest.mark.usefixtures("service")
def test_the_drill_breaks_what_the_newest_run_gave(capsys: pytest.CaptureFixture[str]):
    for _ in range(2):
        assert run(["check"]) == 0
    capsys.readouterr()

    assert run(["drill"]) == 0

    assert "caught by recall@5" in capsys.readouterr().out


def test_a_control_is_what_its_own_run_gave_and_nothing_of_before(root: Path, service):
    outputs = after_green_checks(root, service[0])

    row = written(root, "decide", outputs, "--control", outputs)

    assert row["baseline"] == pytest.approx(30 / 38)
    assert row["change"] == 0


def test_a_stored_run_is_compared_by_the_passes_that_decided(root: Path, service):
    after_green_checks(root, service[0])

    assert written(root, "compare", "latest", "latest")["baseline"] == pytest.approx(30 / 38)


def test_a_service_that_was_repaired_is_green_and_the_report_says_it_is_a_new_draw(
    root: Path, service, capsys: pytest.CaptureFixture[str]
):
    documents, _ = service
    documents.held -= LOST
    assert run(["check"]) == 1
    documents.held |= LOST
    capsys.readouterr()

    assert run(["check"]) == 0

    told = capsys.readouterr().out
    told = " ".join(told.split())
    assert "1 earlier run of this commit failed" in told
    assert "this verdict is of new answers" in told
    assert "Earlier runs: 1 run of this commit (20" in told


@pytest.fixture
def tables(
    root: Path, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> Iterator[psycopg.Connection[Any]]:
    monkeypatch.setenv("OWN_DATABASE", database.conninfo())
    (root / "own_tables.py").write_text(TABLES)
    with psycopg.connect(database.conninfo(), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS own_documents")
        connection.execute("CREATE TABLE own_documents (id text PRIMARY KEY, body text)")
        for doc in sorted(Documents().held):
            connection.execute("INSERT INTO own_documents VALUES (%s, %s)", (doc, f"Text of {doc}"))
        recorded(root, 'use = "python"\ntarget = "own_tables:ask"')
        yield connection
        connection.execute("DROP TABLE own_documents")


def test_tables_that_lost_documents_after_green_checks_fail_and_explain_shows_what_is_there_now(
    root: Path, tables: psycopg.Connection[Any], capsys: pytest.CaptureFixture[str]
):
    for _ in range(5):
        assert run(["check"]) == 0
    tables.execute("DELETE FROM own_documents WHERE id IN ('d0', 'd1', 'd2', 'd3')")

    assert run(["check"]) == 1

    assert report(root)["decision"]["metrics"][0]["candidate"] == pytest.approx(22 / 38)
    capsys.readouterr()
    assert run(["report", "latest", "--explain", "q0"]) == 0
    told = capsys.readouterr().out
    assert "     1    –  d0*" in told
    assert "recall@5  1.000 1.000 1.000 → 0.000" in told


def test_a_database_that_goes_down_in_the_middle_is_no_decision_and_never_worse(
    root: Path, tables: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DOWN_AFTER", str(QUESTIONS // 2))

    assert run(["check"]) == 3

    decision = report(root)["decision"]
    assert decision["verdict"] == "no_decision"
    assert "cannot be reached" in decision["reasons"][0]
