from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from ragate import database as package
from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from tests.integration.database.server_users import on_linux, outcome, running, used, user

pytestmark = pytest.mark.integration


def test_the_server_is_started_on_first_use_and_stopped_by_its_last_user(ready: Path) -> None:
    with used(ready), used(ready) as conninfo:
        with psycopg.connect(conninfo) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert package.open_server(ready).status().in_use
        assert not package.open_server(ready).stop()
    assert not running(ready)


def test_one_user_that_leaves_does_not_stop_the_server_of_another(ready: Path) -> None:
    with used(ready) as conninfo:
        with used(ready):
            pass
        with psycopg.connect(conninfo) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_six_first_starts_at_once_all_work(state: Path) -> None:
    processes = [user(state) for _ in range(6)]

    assert [outcome(process) for process in processes] == [(0, "-6.0")] * 6
    assert not running(state)


def test_a_killed_user_leaves_a_server_that_the_next_clean_exit_stops(ready: Path) -> None:
    process = user(ready, stay=60)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    outcome(process)
    assert running(ready)
    assert not package.open_server(ready).status().in_use

    assert outcome(user(ready)) == (0, "-6.0")
    assert not running(ready)


@pytest.mark.parametrize("after_s", [0.3, 0.6, 1.0])
def test_a_first_start_killed_at_any_moment_leaves_a_usable_folder(
    state: Path, after_s: float
) -> None:
    process = user(state, stay=60)
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    outcome(process)

    assert outcome(user(state)) == (0, "-6.0")
    assert not running(state)
    assert list((state / "postgres").glob("new-*")) == []


def test_a_server_that_died_is_started_again_in_the_same_process(ready: Path) -> None:
    with PostgresDatabase(ready) as database:
        database.conninfo()
        pid = package.open_server(ready).status().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while running(ready):
            time.sleep(0.01)

        with psycopg.connect(database.conninfo()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not running(ready)


def test_stop_ends_a_server_by_force_and_is_content_where_none_runs(ready: Path) -> None:
    assert package.open_server(ready).stop()
    with used(ready):
        assert package.open_server(ready).stop(force=True)
        assert not running(ready)


@on_linux
def test_the_server_gets_nothing_of_our_environment(ready: Path) -> None:
    process = user(ready, stay=30)
    assert process.stdout is not None
    process.stdout.readline()
    pid = package.open_server(ready).status().pid
    seen = Path(f"/proc/{pid}/environ").read_bytes()
    process.kill()
    outcome(process)
    package.open_server(ready).stop()

    assert b"PATH=" in seen
    assert b"CANARY" not in seen


def copied(ready: Path, target: Path) -> Path:
    # Of root's server the files belong to another user, whom a copy by root would take them from.
    how = "-a" if os.geteuid() == 0 else "-r"
    subprocess.run(["cp", how, str(ready), str(target)], check=False, capture_output=True)
    return target


@pytest.mark.parametrize("running_meanwhile", [False, True])
def test_a_copy_of_a_project_has_a_server_of_its_own(
    ready: Path, tmp_path: Path, running_meanwhile: bool
) -> None:
    with used(ready):
        copy = copied(ready, tmp_path / "live") if running_meanwhile else None
    copy = copy or copied(ready, tmp_path / "still")

    with used(copy) as conninfo, psycopg.connect(conninfo) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_copy_that_cannot_be_started_is_made_anew_and_the_first_never_is(
    ready: Path, state: Path
) -> None:
    with used(ready):
        pass
    copy = copied(ready, state / "torn")
    for home in (ready, copy):
        (control,) = (home / "postgres").glob("data-*/global/pg_control")
        control.write_bytes(b"")

    with used(copy) as conninfo, psycopg.connect(conninfo) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert str(copy) in conninfo  # and nowhere else
    with pytest.raises(DatabaseError, match="did not start"), used(ready):
        pass
