"""Running a commit again where the state outside git has changed: the newest run alone decides."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.repositories import commit, git
from tests.servers.rag_server import RagServer, Request, rag_server
from tests.unit.whole import of_the_whole

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


def write(root: Path) -> Path:
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    lines = [
        {"id": f"q{n}", "query": f"What is {n}?", "relevant": {f"d{n // EACH}": 1}}
        for n in range(QUESTIONS)
    ]
    (root / "golden.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return root


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write(tmp_path / "project")
    monkeypatch.chdir(root)
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


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[Documents, RagServer]]:
    documents = Documents()
    with rag_server(documents.answer) as server:
        yield documents, server


@pytest.fixture
def documents(service: tuple[Documents, RagServer]) -> Documents:
    """What the service holds: all, until a test takes some away."""
    service[0].held = Documents().held
    return service[0]


@pytest.fixture(scope="module")
def stages(
    service: tuple[Documents, RagServer], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """A project with a baseline, after three green checks, and after a red one; to be copied."""
    documents, server = service
    root = write(tmp_path_factory.mktemp("stages") / "baseline")
    found = {"baseline": root, "green": root.with_name("green"), "red": root.with_name("red")}
    with contextlib.chdir(root):
        recorded(root, f'use = "http"\nurl = "{server.url}"', host=server.host)
    shutil.copytree(root, found["green"])
    with contextlib.chdir(found["green"]):
        for _ in range(3):
            assert run(["check"]) == 0
    shutil.copytree(found["green"], found["red"])
    documents.held -= LOST
    with contextlib.chdir(found["red"]):
        assert run(["check"]) == 1
    return found


@pytest.fixture
def at(
    stages: dict[str, Path], documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Go to a copy of a stage of the project."""

    def copied(stage: str) -> Path:
        root = shutil.copytree(stages[stage], tmp_path / "project")
        monkeypatch.chdir(root)
        return root

    return copied


def test_a_service_that_lost_documents_after_green_checks_fails(at: Callable[[str], Path]):
    root = at("red")

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


def test_outputs_of_a_stored_run_are_decided_on_as_that_run_was(at: Callable[[str], Path]):
    root = at("red")

    assert run(["decide", newest_outputs(root)]) == 1

    assert report(root)["decision"]["metrics"][0]["candidate"] == pytest.approx(30 / 38)


def newest_outputs(root: Path) -> str:
    return str(max((root / ".ragate" / "runs").glob("*/outputs.jsonl")))


def written(root: Path, *command: str) -> dict[str, Any]:
    """Run a command that writes its report, and return the report's only metric."""
    run([*command, "--format", "json", "--output", "report.json"])
    (row,) = json.loads((root / "report.json").read_text())["decision"]["metrics"]
    found: dict[str, Any] = row
    return found


@of_the_whole
def test_the_drill_breaks_what_the_newest_run_gave(
    at: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
):
    at("green")

    assert run(["drill"]) == 0

    assert "caught by recall@5" in capsys.readouterr().out


def test_a_stored_run_is_compared_by_the_passes_that_decided(at: Callable[[str], Path]):
    root = at("red")

    assert written(root, "compare", "latest", "latest")["baseline"] == pytest.approx(30 / 38)


def test_a_service_that_was_repaired_is_green_and_the_report_says_it_is_a_new_draw(
    at: Callable[[str], Path], documents: Documents, capsys: pytest.CaptureFixture[str]
):
    at("baseline")
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
    for _ in range(3):
        assert run(["check"]) == 0
    tables.execute("DELETE FROM own_documents WHERE id IN ('d0', 'd1', 'd2', 'd3')")

    assert run(["check"]) == 1

    assert report(root)["decision"]["metrics"][0]["candidate"] == pytest.approx(22 / 38)
    capsys.readouterr()
    assert run(["report", "latest", "--explain", "q0"]) == 0
    told = capsys.readouterr().out
    assert "     1    –  d0*" in told
    assert "recall@5  1.00 1.00 1.00 → 0.00" in told


def test_a_database_that_goes_down_in_the_middle_is_no_decision_and_never_worse(
    root: Path,
    tables: psycopg.Connection[Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("DOWN_AFTER", str(QUESTIONS // 2))

    assert run(["check"]) == 3

    told = capsys.readouterr().err
    assert f"of {QUESTIONS} questions failed, and at most 4 may: the run ends here" in told
    assert "cannot be reached" in told
    assert not list((root / ".ragate" / "runs").glob("*/report.json"))
