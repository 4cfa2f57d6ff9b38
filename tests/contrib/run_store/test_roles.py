"""The rights that docs/workers.md grants are enough for each command, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ragate.cli.main import run
from ragate.contrib.run_store.connect import connected
from ragate.contrib.run_store.reading import stored_rows
from ragate.stores.local import LocalStore
from tests.contrib.run_store.stored_runs import NEW, OLD, forget, row, save, sent

pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[3] / "docs/workers.md"
KINDS = ("writer", "reader", "pruner")
ROW = "VALUES ('a', '00000000-0000-0000-0000-000000000000', true"


@pytest.fixture(scope="module")
def roles(server: str) -> Iterator[dict[str, str]]:
    """The URL of a login of each role, as the page makes them; of the writer two."""
    logins = {kind: f"ragate_test_{kind}" for kind in KINDS} | {"other": "ragate_test_other"}
    (grants,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.S)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(grants.encode())
        for kind, login in logins.items():
            of = "writer" if kind == "other" else kind
            grant = f"CREATE ROLE {login} LOGIN PASSWORD 'x' IN ROLE ragate_runs_{of}"
            connection.execute(grant.encode())
        yield {
            kind: make_conninfo(server, user=login, password="x") for kind, login in logins.items()
        }
        for name in (*(f"ragate_runs_{kind}" for kind in KINDS), *logins.values()):
            connection.execute(f"DROP OWNED BY {name} CASCADE".encode())
            connection.execute(f"DROP ROLE {name}".encode())


def acts_as(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)


def test_a_writer_writes_a_reader_reads_and_a_pruner_removes(
    roles: dict[str, str],
    store: LocalStore,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folders = save(store, OLD), save(store, NEW)
    acts_as(monkeypatch, roles["writer"])
    sent(*folders)
    forget(store)
    acts_as(monkeypatch, roles["reader"])
    assert run(["report", OLD]) == 0
    acts_as(monkeypatch, roles["pruner"])
    assert run(["runs", "prune", "--keep", "1", "--yes"]) == 0

    assert row(url, "SELECT array_agg(run_id) FROM ragate_runs.runs") == ([NEW],)


@pytest.mark.parametrize("here", [False, True])
def test_a_writer_who_invents_newer_runs_pushes_out_none_of_anothers(
    roles: dict[str, str], store: LocalStore, url: str, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    folder = save(store, OLD)
    acts_as(monkeypatch, roles["writer"])
    sent(folder)
    forget(store)
    folder = save(store, NEW)
    acts_as(monkeypatch, roles["other"])
    sent(folder)
    forget(store)
    if here:
        save(store, OLD)
    acts_as(monkeypatch, roles["pruner"])

    assert run(["runs", "prune", "--keep", "1", "--yes"]) == 0

    query = "SELECT array_agg(run_id ORDER BY run_id) FROM ragate_runs.runs"
    assert row(url, query) == ([OLD, NEW],)


@pytest.mark.parametrize(
    ("kind", "command"),
    [("writer", ["runs", "list"]), ("reader", ["runs", "prune", "--keep", "0", "--yes"])],
)
def test_a_role_that_may_not_is_told_where_rights_are_described(
    kind: str,
    command: list[str],
    roles: dict[str, str],
    store: LocalStore,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sent(save(store, OLD))
    forget(store)
    acts_as(monkeypatch, roles[kind])

    assert run(command) == 3

    error = capsys.readouterr().err
    assert "permission denied" in error
    assert "docs/workers.md" in error


@pytest.mark.parametrize(
    "attempt",
    [
        "UPDATE ragate_runs.runs SET listing = ''",
        "DELETE FROM ragate_runs.runs",
        "TRUNCATE ragate_runs.runs",
        "SELECT outputs FROM ragate_runs.runs",
        "SELECT sent FROM ragate_runs.runs",
        f"INSERT INTO ragate_runs.runs (run_id, sent, ended, writer) {ROW}, 'ragate_test_writer')",
        f"INSERT INTO ragate_runs.runs (run_id, sent, ended, sent_at) {ROW}, now())",
        "CREATE TABLE ragate_runs.mine (a int)",
        "INSERT INTO ragate_runs.migrations VALUES (3, '', now())",
    ],
)
def test_a_writer_changes_reads_and_forges_nothing(attempt: str, roles: dict[str, str]) -> None:
    with (
        psycopg.connect(roles["other"], autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(attempt.encode())


def test_a_writer_adds_nothing_to_a_run_of_another_and_does_not_end_it(
    roles: dict[str, str], store: LocalStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save(store, OLD)
    (folder / "manifest.json").unlink()
    acts_as(monkeypatch, roles["writer"])
    sent(folder)
    (row_id,) = row(url, "SELECT sent FROM ragate_runs.runs")

    with psycopg.connect(roles["other"], autocommit=True) as connection:
        attempt = "INSERT INTO ragate_runs.runs (run_id, sent, ended) VALUES (%s, %s, true)"
        connection.execute(attempt, (OLD, row_id))
    with connected(url) as connection:
        rows = {found.writer: found.ended for found in stored_rows(connection, OLD)}

    assert rows == {"ragate_test_writer": False, "ragate_test_other": True}


def test_two_roles_with_a_run_of_one_id_are_both_listed_and_neither_is_taken(
    roles: dict[str, str],
    store: LocalStore,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = save(store, OLD)
    for kind in ("writer", "other"):
        acts_as(monkeypatch, roles[kind])
        (folder / "sent.json").unlink(missing_ok=True)
        sent(folder)
    forget(store)
    acts_as(monkeypatch, roles["reader"])
    capsys.readouterr()

    run(["runs", "list"])
    assert capsys.readouterr().out.count(OLD) == 2

    assert run(["report", OLD]) == 2
    assert "of ragate_test_other and ragate_test_writer" in capsys.readouterr().err
