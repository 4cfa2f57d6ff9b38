"""A run is sent when it begins and when it ends; a store that is gone costs no verdict."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from ragate.cli.main import run
from ragate.contrib.run_store import sender
from ragate.database import PostgresDatabase
from tests.contrib.run_store.stored_runs import file_there, row
from tests.integration.resume.interrupted import SAMPLES, Service, folder, start
from tests.repositories import commit
from tests.unit.whole import of_the_whole

pytestmark = pytest.mark.integration

WITHOUT_BASELINE = 3
ENDED = "SELECT count(*) FROM ragate_runs.runs WHERE ended"


@pytest.fixture(autouse=True)
def runs_url(url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
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
    assert file_there(url, "outputs") == (folder(root) / "outputs.jsonl").read_text()
    assert row(url, "SELECT convert_from(listing, 'UTF8') FROM ragate_runs.runs WHERE ended") == (
        (folder(root) / "listing.json").read_text(),
    )
    assert row(url, "SELECT count(*) FROM ragate_runs.runs") == (2,)  # as it began and as it ended


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
    assert row(url, ENDED) == (1,)
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

    # The connection that held the run is gone; another one was answered.
    assert row(url, ENDED) == (1,)
    assert (folder(root) / "report.json").is_file()


@pytest.mark.parametrize(
    ("number", "there"), [(signal.SIGTERM, SAMPLES - 12), (signal.SIGKILL, 0)], ids=str
)
def test_a_run_that_is_ended_is_there_as_far_as_it_came_and_a_killed_one_as_it_began(
    number: signal.Signals, there: int, root: Path, service: Service, url: str
) -> None:
    @contextmanager
    def ended() -> Iterator[None]:
        assert service.child is not None
        os.kill(service.child, number)
        yield

    with service.at(SAMPLES - 2, ended()):
        assert start(root, service, "check") != 0

    outputs = file_there(url, "outputs", "NOT ended")
    assert there < outputs.count("\n") < 1 + SAMPLES
    assert (folder(root) / "outputs.jsonl").read_text().startswith(outputs)
    assert row(url, ENDED) == (0,)


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
    assert file_there(url, "outputs", f"ended AND run_id = '{run_id}'") == before
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
    assert file_there(url, "outputs") == (folder(root) / "outputs.jsonl").read_text()
    assert row(url, ENDED) == (1,)


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

    assert file_there(url, "outputs") == (folder(root) / "outputs.jsonl").read_text()


@of_the_whole
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
    assert row(
        url, "SELECT count(DISTINCT run_id), count(*) FROM ragate_runs.runs WHERE ended"
    ) == (2, 2)
