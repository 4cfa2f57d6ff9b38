"""A store of the first version, with files in parts, is read after `ragate db migrate`."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from ragate.cli.main import run
from ragate.contrib.run_store.connect import MIGRATIONS, SCHEMA, connected
from ragate.contrib.run_store.migrations import Migrations, migrate
from ragate.contrib.run_store.reading import UNFINISHED, fetch, stored_rows
from ragate.database import PostgresDatabase
from ragate.stores.local import LocalStore
from tests.contrib.run_store.stored_runs import NEW, OLD, forget, save
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration
FILES = ("manifest.json", "scores.jsonl", "report.json", "outputs.jsonl")


def test_runs_in_parts_become_rows(
    store: LocalStore,
    database: PostgresDatabase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = save(store, OLD)
    run(["report", OLD])
    here = capsys.readouterr().out
    with own_database(database, "ragate_test_old_runs") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            migrate(connection, Migrations(SCHEMA, MIGRATIONS.steps[:1]))
            ended, given_up, begun = uuid4(), uuid4(), uuid4()
            connection.execute("INSERT INTO ragate_runs.runs VALUES (%s), (%s)", (OLD, NEW))
            for session, of in ((ended, OLD), (given_up, OLD), (begun, NEW)):
                insert = "INSERT INTO ragate_runs.sessions (session, run_id) VALUES (%s, %s)"
                connection.execute(insert, (session, of))
            insert = "INSERT INTO ragate_runs.pieces (session, file, part, body) "
            for name in FILES:
                text = (folder / name).read_bytes()
                for part, body in enumerate((text[:9], text[9:])):
                    values = (ended, name, part, body)
                    connection.execute(f"{insert} VALUES (%s, %s, %s, %s)".encode(), values)
            lost = f"{insert} VALUES (%s, 'outputs.jsonl', 0, 'lost'), (%s, 'spent.log', 0, '1 2')"
            connection.execute(lost.encode(), (given_up, begun))
            insert = "INSERT INTO ragate_runs.ends (run_id, session, listing, sizes) "
            listing = (folder / "listing.json").read_bytes()
            end = f"{insert} VALUES (%s, %s, %s, '{{}}')"
            connection.execute(end.encode(), (OLD, ended, listing))
            migrate(connection, MIGRATIONS)
        forget(store)
        monkeypatch.setenv("RAGATE_RUNS_URL", url)

        assert run(["report", OLD]) == 0
        assert capsys.readouterr().out == here

        with connected(url) as connection:
            newer, older = stored_rows(connection)
            fetch(connection, newer, tmp_path / "begun", UNFINISHED)
    assert (newer.run_id, newer.ended, older.run_id, older.ended) == (NEW, False, OLD, True)
    assert (tmp_path / "begun" / "spent.log").read_text() == "1 2"
