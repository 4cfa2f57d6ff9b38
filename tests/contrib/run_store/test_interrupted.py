"""A run that was interrupted on one machine goes on on another, by the rules of folders."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ragate.cli.main import run
from ragate.contrib.run_store.connect import connected, taken_alone
from ragate.contrib.run_store.reading import UNFINISHED, fetch, stored_rows
from ragate.stores.begun_run import read_begun
from ragate.stores.spent_calls import SpentCalls
from tests.contrib.run_store.stored_runs import file_there, row, sent
from tests.integration.resume.interrupted import SAMPLES, Service, folder, interrupted, start

pytestmark = pytest.mark.integration

KEPT = 8


@pytest.fixture
def left(root: Path, service: Service, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of the machine where a run was interrupted, moved away."""
    interrupted(root, keeping=KEPT)
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    sent(folder(root))
    service.asked.clear()
    return (root / ".ragate").rename(root.parent / "elsewhere")


def named(left: Path) -> str:
    return next((left / "runs").iterdir()).name


def back_on_the_first_machine(left: Path, root: Path, service: Service) -> None:
    shutil.rmtree(root / ".ragate")
    shutil.move(left, root / ".ragate")
    service.asked.clear()


@pytest.mark.parametrize("by_name", [True, False], ids=["by its id", "the newest"])
def test_what_was_answered_elsewhere_is_not_asked_again(
    by_name: bool, left: Path, root: Path, service: Service, url: str
) -> None:
    run(["check", "--resume", *([named(left)] if by_name else [])])

    before = (left / "runs" / named(left) / "outputs.jsonl").read_text()
    assert sum(service.asked.values()) == SAMPLES - KEPT
    assert (folder(root) / "outputs.jsonl").read_text().startswith(before)
    assert folder(root).name == named(left)
    assert row(url, "SELECT count(*) FROM ragate_runs.runs WHERE ended") == (1,)


def test_a_collect_goes_on_elsewhere_and_then_has_ended(
    root: Path,
    service: Service,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    run(["collect"])
    shutil.rmtree(root / ".ragate")

    assert run(["collect", "--resume"]) == 2

    assert "no interrupted `collect`" in capsys.readouterr().err
    assert row(url, "SELECT count(*) FROM ragate_runs.runs WHERE ended AND manifest IS NULL") == (
        1,
    )


def test_what_was_spent_elsewhere_counts_against_the_cap_here(left: Path, root: Path) -> None:
    left.rename(root / ".ragate")
    SpentCalls(folder(root)).keep(7, 0.25)
    SpentCalls(folder(root)).keep(1, 0.5)
    sent(folder(root))
    shutil.rmtree(root / ".ragate")

    run(["check", "--resume"])

    assert SpentCalls(folder(root)).total() == (8, 0.75)
    facts = json.loads((folder(root) / "report.json").read_text())["facts"]
    assert (facts["model_calls"], facts["cost_usd"]) == (8, 0.75)


def test_a_run_says_of_its_end_what_the_store_does(
    root: Path, service: Service, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    run(["collect"])
    run_id = folder(root).name

    with connected(url) as connection:
        (ended,) = stored_rows(connection, run_id)
        fetch(connection, ended, tmp_path / "ended" / run_id, UNFINISHED)
        connection.execute("DELETE FROM ragate_runs.runs WHERE ended")
        (unended,) = stored_rows(connection, run_id)

    assert read_begun(tmp_path / "ended" / run_id).ended
    assert not unended.ended


def test_runs_without_scores_are_listed_elsewhere_as_here(
    left: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left.rename(root / ".ragate")
    run(["collect"])
    capsys.readouterr()
    run(["runs", "list", "--json"])
    here = capsys.readouterr().out
    shutil.rmtree(root / ".ragate")

    run(["runs", "list", "--json"])

    assert capsys.readouterr().out == here
    assert [each["status"] for each in json.loads(here)] == ["collected", "unfinished"]


def changed(url: str, change: str, *values: object) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"UPDATE ragate_runs.runs SET {change}".encode(), values)


def by_another_role(url: str, run_id: str) -> None:
    changed(url, "writer = 'stranger'")


def by_another_process(url: str, run_id: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        query = "INSERT INTO ragate_runs.runs (run_id, sent, ended) VALUES (%s, %s, true)"
        connection.execute(query, (run_id, "00000000-0000-0000-0000-000000000000"))


def a_day_ago(url: str, run_id: str) -> None:
    changed(url, "sent_at = now() - interval '25 hours'")


def of_a_job(url: str, run_id: str) -> None:
    text = file_there(url, "begun", "NOT ended").replace("no job", "a job")
    changed(url, "begun = %s", text.encode())


@pytest.mark.parametrize("text", ["[1]", "{}", "7", "{", "\\xff", '{"ended": [1]}'])
def test_a_beginning_that_is_none_is_passed_over(
    text: str, left: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(url, "begun = %s", text.encode())

    assert run(["check", "--resume"]) == 2
    assert "no interrupted `check`" in capsys.readouterr().err
    assert run(["runs", "list"]) == 0


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (by_another_role, "the role 'stranger' wrote it"),
        (by_another_process, "came to its end elsewhere"),
        (a_day_ago, "older than a day"),
        (of_a_job, "side of trust (a job"),
    ],
)
def test_a_run_that_may_not_go_on_is_refused_and_nothing_is_asked(
    harm: Callable[[str, str], None],
    message: str,
    left: Path,
    service: Service,
    url: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    harm(url, named(left))

    assert run(["check", "--resume", named(left)]) == 2

    assert message in capsys.readouterr().err
    assert not service.asked


def test_a_run_that_another_machine_is_at_is_refused(
    left: Path, service: Service, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with connected(url) as connection:
        assert taken_alone(connection, named(left))

        assert run(["check", "--resume", named(left)]) == 2

    assert "under way in another process" in capsys.readouterr().err
    assert not service.asked


def test_a_folder_that_lacks_what_was_answered_elsewhere_is_refused(
    left: Path, root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", "--resume", named(left)])
    back_on_the_first_machine(left, root, service)

    assert run(["check", "--resume"]) == 2

    assert "came to its end elsewhere" in capsys.readouterr().err
    assert not service.asked


def test_a_folder_that_another_machine_went_on_with_is_refused(
    left: Path,
    root: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = named(left)
    assert start(root, service, "check", "--resume", run_id, kill_after=6) == -signal.SIGKILL
    back_on_the_first_machine(left, root, service)

    assert run(["check", "--resume", run_id]) == 2
    assert "went on elsewhere" in capsys.readouterr().err
    assert not service.asked


def test_half_a_fetch_leaves_no_folder_that_looks_like_a_run(
    left: Path, root: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(url, "outputs = substring(outputs for 100)")

    assert run(["check", "--resume", named(left)]) == 3

    assert "outputs.jsonl: damaged in the store" in capsys.readouterr().err
    assert [path.name for path in (root / ".ragate").rglob("*") if "runs" in path.parts] == []
