"""A run is sent as it goes on, and a store that is gone costs no verdict."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from ragate.stores.postgres import sender
from tests.integration.resume.interrupted import SAMPLES, Service, folder, start
from tests.integration.stores.postgres.stored_runs import row
from tests.repositories import commit

pytestmark = pytest.mark.integration

WITHOUT_BASELINE = 3
OUTPUTS = (
    "SELECT convert_from(string_agg(body, ''::bytea ORDER BY part), 'UTF8') "
    "FROM ragate_runs.pieces WHERE file = 'outputs.jsonl'"
)


@pytest.fixture(autouse=True)
def runs_url(url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    monkeypatch.setattr(sender, "TICK_S", 0.05)
    monkeypatch.setattr(sender, "_FIRST_PAUSE_S", 0.1)
    return url


@contextmanager
def gone(url: str, database: PostgresDatabase) -> Iterator[None]:
    """Let nobody reach the store, and cut off who is there."""
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    with psycopg.connect(database.conninfo(), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(query, (name,))
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())


def test_a_check_leaves_the_same_run_there_as_here(
    root: Path, service: Service, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", "--runs", "2"])

    assert "warning" not in capsys.readouterr().err
    assert row(url, OUTPUTS)[0] == (folder(root) / "outputs.jsonl").read_text()
    assert row(url, "SELECT convert_from(listing, 'UTF8') FROM ragate_runs.ends") == (
        (folder(root) / "listing.json").read_text(),
    )
    assert row(url, "SELECT count(*) FROM ragate_runs.sessions") == (1,)


def test_the_password_is_in_no_file_and_no_line(
    root: Path,
    service: Service,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    secret = psycopg.conninfo.make_conninfo(url, password="s3cret-canary")
    monkeypatch.setenv("RAGATE_RUNS_URL", secret)

    run(["check", "--verbose"])

    shown = capsys.readouterr()
    files = [path.read_bytes() for path in folder(root).iterdir()]
    assert row(url, "SELECT count(*) FROM ragate_runs.ends") == (1,)
    assert "s3cret-canary" not in shown.out + shown.err
    assert not any(b"s3cret-canary" in text for text in files)


@pytest.mark.skipif(
    bool(os.environ.get("RAGATE_DATABASE_URL")), reason="stops a process of the embedded server"
)
def test_a_server_that_stops_answering_ends_the_wait_with_the_verdict(
    root: Path,
    service: Service,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sender, "PATIENCE_S", 0.5)
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'ragate'"
    stopped: list[int] = []

    @contextmanager
    def silent() -> Iterator[None]:
        stopped.append(row(url, query)[0])
        os.kill(stopped[0], signal.SIGSTOP)
        yield

    service.pause_s = 0.1
    try:
        with service.at(5, silent()):
            assert run(["check"]) == WITHOUT_BASELINE
    finally:
        os.kill(stopped[0], signal.SIGCONT)

    # Another connection was answered: all went anew, as a session of its own.
    assert row(url, "SELECT count(*) FROM ragate_runs.ends") == (1,)
    assert (folder(root) / "report.json").is_file()


def test_what_is_answered_is_there_before_the_run_ends(
    root: Path, service: Service, url: str
) -> None:
    @contextmanager
    def killed_once_it_is_there() -> Iterator[None]:
        """Hold a question until what was answered before has been sent; then kill who asks."""
        while (row(url, OUTPUTS)[0] or "").count("\n") < 1 + SAMPLES - 12:
            time.sleep(0.05)
        assert service.child is not None
        os.kill(service.child, signal.SIGKILL)
        yield

    with service.at(SAMPLES - 2, killed_once_it_is_there()):
        assert start(root, service, "check") == -signal.SIGKILL

    there = row(url, OUTPUTS)[0]
    here = (folder(root) / "outputs.jsonl").read_text()
    assert here.startswith(there)
    assert row(url, "SELECT count(*) FROM ragate_runs.ends") == (0,)


@pytest.mark.parametrize("command", [["check"], ["collect"], ["baseline", "update"]], ids=" ".join)
def test_a_store_that_is_not_there_is_told_before_anything_is_asked(
    command: list[str],
    root: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    away = "postgresql://me:s3cret-word@127.0.0.1:1/runs"
    monkeypatch.setenv("RAGATE_RUNS_URL", away)

    assert run(command) == 3

    error = capsys.readouterr().err
    assert "run store: Postgres at 127.0.0.1:1" in error
    assert "RAGATE_RUNS_URL" in error
    assert "s3cret" not in error
    assert not service.asked


def test_a_store_that_goes_in_the_middle_costs_no_verdict_and_the_next_run_sends_it(
    root: Path,
    service: Service,
    url: str,
    database: PostgresDatabase,
    capsys: pytest.CaptureFixture[str],
) -> None:
    service.pause_s = 0.1
    with service.at(5, gone(url, database)):
        assert run(["check"]) == WITHOUT_BASELINE

    shown = capsys.readouterr()
    run_id = folder(root).name
    assert f"the run store lacks the run {run_id}" in shown.err
    assert "the next run sends it as well" in shown.err
    assert json.loads((folder(root) / "report.json").read_text())["run_id"] == run_id
    assert (folder(root) / "outputs.jsonl").read_text().count("\n") == 1 + SAMPLES

    before = (folder(root) / "outputs.jsonl").read_text()

    assert run(["check"]) == WITHOUT_BASELINE

    assert f"the run store has got the run {run_id} of before" in capsys.readouterr().err
    found = row(url, f"SELECT count(*) FROM ragate_runs.ends WHERE run_id = '{run_id}'")
    assert found == (1,)
    of_it = f"session IN (SELECT session FROM ragate_runs.sessions WHERE run_id = '{run_id}')"
    assert row(url, f"{OUTPUTS} AND {of_it}")[0] == before
    assert run(["check"]) == WITHOUT_BASELINE
    assert "of before" not in capsys.readouterr().err


def test_a_store_that_comes_back_has_the_whole_run(
    root: Path,
    service: Service,
    url: str,
    database: PostgresDatabase,
    capsys: pytest.CaptureFixture[str],
) -> None:
    service.pause_s = 0.1
    with service.at(5, gone(url, database), until=17):
        assert run(["check"]) == WITHOUT_BASELINE

    assert "warning" not in capsys.readouterr().err
    assert row(url, OUTPUTS)[0] == (folder(root) / "outputs.jsonl").read_text()
    assert row(url, "SELECT count(*) FROM ragate_runs.ends") == (1,)


def test_a_run_that_was_removed_while_it_ran_is_there_at_its_end(
    root: Path, service: Service, url: str
) -> None:
    @contextmanager
    def removed() -> Iterator[None]:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DELETE FROM ragate_runs.runs")
        yield

    service.pause_s = 0.1
    with service.at(15, removed()):
        run(["check"])

    assert row(url, OUTPUTS)[0] == (folder(root) / "outputs.jsonl").read_text()


def test_history_of_another_machine_shows_the_same(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["baseline", "update"])
    commit(root, "baseline")
    run(["check"])
    capsys.readouterr()
    run(["history", "--format", "json"])
    here = capsys.readouterr().out
    shutil.rmtree(root / ".ragate")

    run(["history", "--format", "json"])

    assert capsys.readouterr().out == here
    assert len(json.loads(here)["runs"]) == 2


def test_two_runs_of_one_commit_at_once_are_two(root: Path, service: Service, url: str) -> None:
    other: list[int] = []

    @contextmanager
    def meanwhile() -> Iterator[None]:
        other.append(start(root, service, "check"))
        yield

    with service.at(5, meanwhile()):
        run(["check"])

    assert other == [WITHOUT_BASELINE]
    assert row(url, "SELECT count(DISTINCT run_id), count(*) FROM ragate_runs.ends") == (2, 2)
