"""The folder that a server keeps its data in."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path

import psycopg
import pytest

from ragate import database as package
from ragate.database import install
from ragate.database.install import Account
from ragate.errors import DatabaseError
from tests.integration.database.server_users import as_root, used

pytestmark = pytest.mark.integration


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

    chosen = install.choose_home(home / "project", Account(65534, 65534), base=state)

    assert chosen.parent == state / "ragate-0"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert install.choose_home(home / "project", None, base=state).parent == home / "project"


@as_root
def test_a_folder_in_use_never_looks_abandoned(state: Path) -> None:
    home = state / "home"
    (home / "project").mkdir(parents=True)
    home.chmod(0o700)
    chosen = install.choose_home(home / "project", Account(65534, 65534), base=state)
    seen: list[bool] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(install.is_abandoned(chosen))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(200):
        assert install.choose_home(home / "project", Account(65534, 65534), base=state) == chosen
        (chosen / install.PROJECT).unlink()
    done.set()
    watcher.join()

    assert seen
    assert not any(seen)
    (chosen / install.PROJECT).write_bytes(b"")
    assert install.abandoned(chosen) == []


@as_root
def test_data_of_a_project_that_is_gone_is_removed_from_the_fallback_folder(state: Path) -> None:
    state.chmod(0o700)
    gone, kept, new = (state / name for name in ("gone", "kept", "new"))
    homes = {}
    for project in (gone, kept):
        project.mkdir()
        with used(project):
            homes[project] = package.open_server(project).status().folder
    assert homes[gone].is_relative_to(install.BASE)
    shutil.rmtree(gone)

    try:
        homes[new] = package.open_server(new).status().folder
        assert [homes[project].exists() for project in (gone, kept, new)] == [False, True, True]
    finally:
        for home in homes.values():
            shutil.rmtree(home, ignore_errors=True)


def test_a_fallback_folder_that_someone_else_prepared_is_refused(state: Path) -> None:
    (state / f"ragate-{os.geteuid()}").symlink_to(state)

    with pytest.raises(DatabaseError, match="not a folder of our own"):
        install.private_base(state)
