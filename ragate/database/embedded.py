"""One embedded PostgreSQL: started by the first who needs it, stopped by the last who leaves.

Who uses it is told by a shared file lock, which the kernel drops with its holder; no list of
process ids can go stale. Every start and stop happens under one exclusive lock.
"""

import os
import shutil
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ragate.database.folder import SOCKET_NAME, is_abandoned, socket_folder
from ragate.database.install import Account, Programs
from ragate.database.locks import exclusive, try_lock
from ragate.database.postmaster import read_postmaster
from ragate.database.server_programs import START_S, ServerPrograms
from ragate.errors import DatabaseError
from ragate.process.interrupts import uninterrupted


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
        self._account = account
        self._data = home / f"data-{programs.major}"
        self._programs = ServerPrograms(home, self._data, programs, account)
        self._user_lock: int | None = None

    def __repr__(self) -> str:
        return f"EmbeddedServer({str(self.home)!r})"

    def start(self) -> str:
        """Return a connection string to a server that runs and stays while we do.

        Raises:
            DatabaseError: it could not be made or started; shows the last lines of its log.
        """
        with exclusive(self.home / "lock"), uninterrupted():
            if self._user_lock is None:
                self._user_lock = try_lock(self.home / "users", shared=True)
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
        if self._user_lock is None:
            return
        with uninterrupted(), exclusive(self.home / "lock"):
            os.close(self._user_lock)
            self._user_lock = None
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
        unused = try_lock(self.home / "users")
        if unused is not None:
            os.close(unused)
        pid = postmaster.pid if postmaster is not None and running else None
        return ServerStatus(self.home, running, pid, in_use=unused is None)

    def _stop_if_unused(self) -> bool:
        last = try_lock(self.home / "users")
        if last is None:
            return False
        try:
            self._stop()
            # Drafts of killed first starts: at the end, since their initdb may have run on.
            for draft in self.home.glob("new-*"):
                shutil.rmtree(draft, ignore_errors=True)
        finally:
            os.close(last)
        return True

    def _stop(self) -> None:
        postmaster = read_postmaster(self._data)
        if postmaster is not None and postmaster.alive:
            self._programs.stop()

    def _ensure_running(self) -> None:
        deadline = time.monotonic() + START_S
        while not self.alive:
            if not (self._data / "PG_VERSION").exists():
                self._programs.make()
            postmaster = read_postmaster(self._data)
            if postmaster is not None and postmaster.alive:
                time.sleep(0.05)  # left starting, or recovering, by a process that was killed
            else:
                self._programs.launch(postmaster)
            if time.monotonic() > deadline:
                raise DatabaseError(
                    f"the embedded Postgres did not come up in {START_S:.0f} s\n"
                    f"{self._programs.log_tail()}",
                    remedy=f"`ragate db stop`; if that is not enough, remove {self.home}",
                )


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
