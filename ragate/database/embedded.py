"""One embedded PostgreSQL: started by the first who needs it, stopped by the last who leaves.

Who uses it is told by a shared file lock, which the kernel drops with its holder; no list of
process ids can go stale. Every start and stop happens under one exclusive lock.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ragate.database.folder import SOCKET_NAME, give, is_abandoned, socket_folder
from ragate.database.install import Account, Programs
from ragate.database.locks import exclusive, try_lock
from ragate.database.postmaster import Postmaster, read_postmaster
from ragate.errors import DatabaseError
from ragate.process.interrupts import uninterrupted

START_S = 60.0
SETTINGS = """
# ragate: a local index that can be built again; only its own user reaches it, through the socket.
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 60
synchronous_commit = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 256MB
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
jit = off
timezone = 'UTC'
"""


@dataclass(frozen=True)
class ServerStatus:
    """What `ragate db status` tells.

    Attributes:
        in_use: True where a live process uses the server.
    """

    folder: Path
    running: bool
    pid: int | None
    in_use: bool


class EmbeddedServer:
    """The server of one folder, as one user of it sees it."""

    def __init__(self, home: Path, programs: Programs, account: Account | None = None) -> None:
        self.home = home
        self._programs = programs
        self._account = account
        self._data = home / f"data-{programs.major}"
        self._seat: int | None = None

    def __repr__(self) -> str:
        return f"EmbeddedServer({str(self.home)!r})"

    def start(self) -> str:
        """Return a connection string to a server that runs and stays while we do.

        Raises:
            DatabaseError: it could not be made or started; shows the last lines of its log.
        """
        with exclusive(self.home / "lock"), uninterrupted():
            if self._seat is None:
                self._seat = try_lock(self.home / "users", shared=True)
            self._ensure_running()
        folder = socket_folder(self._data, self._account)
        return f"host='{_quoted(folder)}' port=5432 user=postgres dbname=postgres"

    @property
    def alive(self) -> bool:
        """True while it accepts connections."""
        if not (self._data / "PG_VERSION").exists():
            return False
        path = socket_folder(self._data, self._account) / SOCKET_NAME
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            try:
                probe.connect(str(path))
            except OSError:
                return False
        postmaster = read_postmaster(self._data)
        return postmaster is not None and postmaster.ready

    def release(self) -> None:
        """Leave; the last one stops the server."""
        if self._seat is None:
            return
        with uninterrupted(), exclusive(self.home / "lock"):
            os.close(self._seat)
            self._seat = None
            self._stop_if_unused()

    def stop(self, *, force: bool = False) -> bool:
        """Stop the server and return True; return False where it is in use and `force` is not set.

        A server that does not run counts as stopped.
        """
        with exclusive(self.home / "lock"), uninterrupted():
            if force:
                self._stop()
                return True
            return self._stop_if_unused()

    def remove_abandoned(self) -> None:
        """Remove the data of a project that is gone, unless a process still uses it."""
        with suppress(FileNotFoundError), exclusive(self.home / "lock"):  # another one was first
            if is_abandoned(self.home) and self._stop_if_unused():
                shutil.rmtree(self.home, ignore_errors=True)

    def status(self) -> ServerStatus:
        """Return what runs, changing nothing."""
        postmaster = read_postmaster(self._data)
        running = postmaster is not None and postmaster.alive
        seat = try_lock(self.home / "users")
        if seat is not None:
            os.close(seat)
        pid = postmaster.pid if postmaster is not None and running else None
        return ServerStatus(self.home, running, pid, in_use=seat is None)

    def _stop_if_unused(self) -> bool:
        last = try_lock(self.home / "users")
        if last is None:
            return False
        try:
            self._stop()
            self._sweep()
        finally:
            os.close(last)
        return True

    def _sweep(self) -> None:
        """Remove drafts of killed first starts; at the end, since their initdb may have run on."""
        for left in self.home.glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _stop(self) -> None:
        postmaster = read_postmaster(self._data)
        if postmaster is None or not postmaster.alive:
            return
        done = self._run("pg_ctl", "stop", "-D", self._data.name, "-w", "-t", "30", "-m", "fast")
        if done.returncode != 0 and postmaster.alive:
            self._run("pg_ctl", "stop", "-D", self._data.name, "-w", "-t", "10", "-m", "immediate")

    def _ensure_running(self) -> None:
        deadline = time.monotonic() + START_S
        while not self.alive:
            if not (self._data / "PG_VERSION").exists():
                self._make()
            postmaster = read_postmaster(self._data)
            if postmaster is not None and postmaster.alive:
                time.sleep(0.05)  # left starting, or recovering, by a process that was killed
            else:
                self._launch(postmaster)
            if time.monotonic() > deadline:
                raise DatabaseError(
                    f"the embedded Postgres did not come up in {START_S:.0f} s\n{self._log_tail()}",
                    remedy=f"`ragate db stop`; if that is not enough, remove {self.home}",
                )

    def _make(self) -> None:
        """Make the data folder; it gets its name when it is whole."""
        draft = Path(tempfile.mkdtemp(prefix="new-", dir=self.home))
        give(draft, self._account)
        done = self._run(
            "initdb", "-D", draft.name, "-U", "postgres", "--auth=trust", "--encoding=UTF8",
            "--no-locale", "--no-sync", "--no-instructions",
        )  # fmt: skip
        if done.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            raise self._failed("could not be set up", done)
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(SETTINGS)
        draft.rename(self._data)

    def _launch(self, stale: Postmaster | None) -> None:
        folder = socket_folder(self._data, self._account)
        if stale is not None:  # its pid may be another process by now, which Postgres would respect
            for path in (self._data / "postmaster.pid", folder / f"{SOCKET_NAME}.lock"):
                path.unlink(missing_ok=True)
        log = self._data / "log"
        log.unlink(missing_ok=True)
        # Relative paths: pg_ctl builds a shell line from them, and the project's may hold anything.
        where = "." if folder == self._data else str(folder)
        done = self._run(
            "pg_ctl", "start", "-D", self._data.name, "-w", "-t", str(int(START_S)),
            "-l", f"{self._data.name}/log", "-o", f"-k {where}",
        )  # fmt: skip
        if done.returncode == 0 or "still in use" in self._log_tail():
            return  # in use: the backends of a killed server are leaving; the caller tries again
        raise self._failed("did not start", done)

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        account = self._account
        try:
            return subprocess.run(  # noqa: S603 - our own programs, no shell
                [str(self._programs.folder / program), *arguments],
                cwd=self.home,
                # Nothing of our environment: it holds keys, and variables that Postgres heeds.
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=START_S * 2,
                check=False,
                user=None if account is None else account.uid,
                group=None if account is None else account.gid,
                extra_groups=None if account is None else [],
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise DatabaseError(
                f"the embedded Postgres in {self.home}: {program} could not be run: {error}",
                remedy="set RAGATE_DATABASE_URL to a Postgres with pgvector",
            ) from error

    def _failed(self, what: str, done: subprocess.CompletedProcess[str]) -> DatabaseError:
        said = " ".join(done.stderr.split())[-500:] or self._log_tail()
        return DatabaseError(
            f"the embedded Postgres in {self.home} {what}: {said}\n{self._log_tail()}".rstrip(),
            remedy=f"remove {self.home} (it is built again), or set RAGATE_DATABASE_URL",
        )

    def _log_tail(self) -> str:
        try:
            lines = (self._data / "log").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(f"  {line}" for line in lines[-5:])


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
