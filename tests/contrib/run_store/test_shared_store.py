"""Runs of the store are shown as folders here are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import psycopg
import pytest

from ragate.cli.main import run
from ragate.contrib.run_store import reading
from ragate.contrib.run_store.reading import FILES
from ragate.contrib.run_store.shared_store import SharedStore
from ragate.models import Verdict
from ragate.stores.local import LocalStore
from tests.contrib.run_store.stored_runs import NEW, OLD, forget, row, save, sent

pytestmark = pytest.mark.integration


@pytest.fixture
def pushed(store: LocalStore, capsys: pytest.CaptureFixture[str]) -> LocalStore:
    sent(save(store, OLD, Verdict.FAILED), save(store, NEW))
    capsys.readouterr()
    return store


@pytest.mark.parametrize(
    "command",
    [
        ["runs", "list"],
        ["runs", "list", "--json", "--meta", "ticket=aaaa"],
        ["report", OLD],
        ["report"],
        ["report", NEW, "--format", "html"],
        ["report", NEW, "--explain", "q0"],
        ["compare", OLD, NEW],
        ["runs", "export", "--format", "csv"],
        ["runs", "export", "--rows", "scores"],
    ],
    ids=" ".join,
)
def test_another_machine_shows_the_same(
    command: list[str], pushed: LocalStore, capsys: pytest.CaptureFixture[str]
) -> None:
    code, here = run(command), capsys.readouterr()
    forget(pushed)

    assert run(command) == code
    assert capsys.readouterr() == here
    assert here.out


def test_every_file_of_a_run_comes_back_byte_for_byte(pushed: LocalStore, url: str) -> None:
    before = {path.name: path.read_bytes() for path in pushed.folder(OLD).iterdir()}
    forget(pushed)

    shared = SharedStore(pushed.runs.parent, url)
    found = shared.find(OLD, texts=True)

    after = {path.name: path.read_bytes() for path in found.iterdir()}
    assert after == {name: text for name, text in before.items() if name in FILES}
    assert len(after) == 5


def test_what_a_process_fetched_goes_with_it(pushed: LocalStore, url: str) -> None:
    forget(pushed)
    shared = SharedStore(pushed.runs.parent, url)
    found = shared.find(OLD)

    del shared

    assert not found.exists()


@pytest.mark.parametrize(
    "answer",
    ["a\0b", "x" * 1_000_000, "'; DROP SCHEMA ragate_runs; --\\x00\t\\.\n", "\u202e\U0001f600"],
    ids=["NUL", "a word of 1 MB", "SQL", "odd letters"],
)
def test_hostile_texts_come_back_whole(answer: str, store: LocalStore, url: str) -> None:
    folder = save(store, OLD, answer=answer, description=answer[:100])
    before = (folder / "scores.jsonl").read_bytes()
    sent(folder)
    forget(store)

    shared = SharedStore(store.runs.parent, url)

    assert (shared.find(OLD) / "scores.jsonl").read_bytes() == before
    assert [each.description for each in shared.listed()] == [answer[:100]]


def test_a_run_of_here_counts_before_the_stores(pushed: LocalStore, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE ragate_runs.runs SET listing = 'forged'")

    found = list(SharedStore(pushed.runs.parent, url).listed())

    assert [each.status for each in found] == ["passed", "failed"]


@pytest.mark.parametrize(
    "damage",
    [{"gate": 7}, {"meta": {"ticket": 7}}, {"models": 7}, {"status": "green"}, [], b"[1", b"\xff"],
    ids=str,
)
def test_a_row_that_is_no_run_is_named_and_the_others_are_shown(
    damage: object, pushed: LocalStore, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = json.loads((pushed.folder(OLD) / "listing.json").read_bytes())
    forget(pushed)
    text = damage if isinstance(damage, bytes) else json.dumps(damage).encode()
    if isinstance(damage, dict):
        text = json.dumps(kept | damage).encode()
    with psycopg.connect(url, autocommit=True) as connection:
        query = "UPDATE ragate_runs.runs SET listing = %s WHERE run_id = %s"
        connection.execute(query, (text, OLD))

    assert run(["runs", "list"]) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == [NEW, "passed"]
    assert second.split()[:2] == [OLD, "broken"]
    assert "the store's row: not a run" in second


def test_a_listing_of_another_ragate_is_read_from_its_manifest(
    pushed: LocalStore, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    forget(pushed)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("""UPDATE ragate_runs.runs SET listing = '{"manifest_bytes": 1}'""")

    run(["runs", "list"])

    assert "ticket=bbbb" in capsys.readouterr().out


BOMB = gzip.compress(b"0" * 40_000_000)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (gzip.compress(b'{"sample_id": "q0"}')[:15], "damaged in the store"),
        (gzip.compress(b"text" * 100)[:-9] + b"123456789", "damaged in the store"),
        (BOMB, "more than 30000000 bytes in the store"),
    ],
    ids=["cut", "changed", "a bomb"],
)
def test_a_run_with_a_damaged_file_is_refused_by_its_name(
    body: bytes,
    message: str,
    pushed: LocalStore,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(reading, "FILES", dict.fromkeys(FILES, 30_000_000))
    forget(pushed)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE ragate_runs.runs SET scores = %s", (body,))

    assert run(["report", OLD]) == 3

    error = capsys.readouterr().err
    assert f"the run {OLD} of the run store" in error
    assert f"scores.jsonl: {message}" in error


def test_no_run_of_a_name_is_neither_here_nor_there(
    pushed: LocalStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "../../etc"]) == 2

    assert "none in the run store" in capsys.readouterr().err


def test_prune_says_where_a_run_is_and_removes_it_there_and_here(
    pushed: LocalStore, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["runs", "prune", "--keep", "1", "--dry-run"])
    assert "(here and in the run store)" in capsys.readouterr().out

    assert run(["runs", "prune", "--keep", "1", "--yes"]) == 0

    assert pushed.list() == [NEW]
    assert row(url, "SELECT array_agg(run_id) FROM ragate_runs.runs") == ([NEW],)


def test_prune_of_another_machine_spares_what_may_still_run(
    store: LocalStore, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = save(store, OLD)
    (folder / "manifest.json").unlink()
    sent(folder)
    forget(store)
    capsys.readouterr()

    run(["runs", "prune", "--keep", "0", "--yes"])
    assert "nothing to remove" in capsys.readouterr().out

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE ragate_runs.runs SET sent_at = now() - interval '25 hours'")
    run(["runs", "prune", "--keep", "0", "--yes"])

    assert row(url, "SELECT count(*) FROM ragate_runs.runs") == (0,)


def test_without_the_url_the_store_is_not_looked_at(
    pushed: LocalStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forget(pushed)
    monkeypatch.delenv("RAGATE_RUNS_URL")

    run(["runs", "list", "--json"])

    assert json.loads(capsys.readouterr().out) == []


def test_the_url_is_not_read_from_a_file_that_came_with_a_checkout(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAGATE_RUNS_URL")
    monkeypatch.delenv("CI", raising=False)
    (project / ".env").write_text("RAGATE_RUNS_URL=postgresql://somebody/else\n")

    assert run(["runs", "list"]) == 2

    assert "RAGATE_RUNS_URL is not read from there" in capsys.readouterr().err
