"""Which process is the server."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from ragate import database as package
from ragate.database.embedded import read_postmaster
from ragate.database.install import SOCKET_NAME
from tests.integration.database.server_users import (
    as_root,
    on_linux,
    outcome,
    running,
    used,
    user,
)

pytestmark = pytest.mark.integration


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


@on_linux
def test_a_socket_that_outlives_its_server_is_no_server(ready: Path) -> None:
    with used(ready) as conninfo:
        folder = conninfo_to_dict(conninfo)["host"]
        pid_file = next((ready / "postgres").glob("data-*")) / "postmaster.pid"
        content = pid_file.read_text()
    pid_file.write_text(content)  # as of a server that was killed

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(f"{folder}/{SOCKET_NAME}")
        left.listen()
        assert not package.open_server(ready).alive
        assert outcome(user(ready)) == (0, "-6.0")


@on_linux
@as_root
def test_root_of_a_container_knows_a_server_of_another_account(state: Path) -> None:
    """It may not look where a process of another account works, as Docker starts containers."""
    first = user(state, stay=60, ptrace=False)
    assert first.stdout is not None
    assert first.stdout.readline().strip() == "-6.0"
    assert outcome(user(state, ptrace=False)) == (0, "-6.0")
    assert running(state)

    first.kill()
    first.communicate()
    assert outcome(user(state, ptrace=False)) == (0, "-6.0")
    assert not running(state)


def test_a_pid_file_without_a_pid_is_no_server(state: Path) -> None:
    assert read_postmaster(state) is None
    (state / "postmaster.pid").write_text("half")
    assert read_postmaster(state) is None
