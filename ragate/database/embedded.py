"""One embedded PostgreSQL: started by the first who needs it, stopped by the last who leaves.

Who uses it is told by a shared file lock, which the kernel drops with its holder; no list of
process ids can go stale. Every start and stop happens under one exclusive lock.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ragate.database.install import (
    SOCKET_NAME,
    Account,
    PostgresPrograms,
    give,
    is_abandoned,
    socket_folder,
)
from ragate.errors import DatabaseError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import file_bytes, first_bytes
from ragate.process import uninterrupted

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
WAIT_S = 120.0
POLL_S = 0.02
_PLACE = "place"


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

    def __init__(
        self, home: Path, programs: PostgresPrograms, account: Account | None = None
    ) -> None:
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
        """True while it accepts connections, and its process runs.

        One that was killed seems to accept for a moment: a child that it had just begun still
        holds its socket.
        """
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
        return postmaster is not None and postmaster.ready and postmaster.alive

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
                self._launch(postmaster)
            if time.monotonic() > deadline:
                raise DatabaseError(
                    f"the embedded Postgres did not come up in {START_S:.0f} s\n"
                    f"{self._programs.log_tail()}",
                    remedy=f"`ragate db stop`; if that is not enough, remove {self.home}",
                )

    def _launch(self, stale: Postmaster | None) -> None:
        """Start the server; data that was copied from another project while it ran is made anew."""
        try:
            self._programs.launch(stale)
        except DatabaseError:
            if self._last_place() in (b"", self._programs.place):
                raise
            shutil.rmtree(self._data)  # `_ensure_running` makes it anew
            return
        write_atomic(self.home / _PLACE, self._programs.place)

    def _last_place(self) -> bytes:
        """Return where the data was when the server last started, b"" where that is not known."""
        try:
            return file_bytes(self.home / _PLACE)
        except OSError:
            return b""


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace("'", "\\'")


# File locks that the kernel drops when their holder dies, however it dies.


def try_lock(path: Path, *, shared: bool = False) -> int | None:
    """Return a descriptor that holds the lock on `path`, or None where another one holds it.

    Locks of two descriptors exclude each other in one process as they do between two.
    """
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock on `path`; polls, so that Ctrl-C is heard while it waits.

    Raises:
        DatabaseError: another process held it for `WAIT_S` seconds.
    """
    deadline = time.monotonic() + WAIT_S
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise DatabaseError(
                f"another process has been starting or stopping the embedded Postgres for "
                f"{WAIT_S:.0f} s (it holds {path})",
                remedy="wait for it or end it, then run the command again",
            )
        time.sleep(POLL_S)
    try:
        yield
    finally:
        os.close(descriptor)


# The programs of the embedded PostgreSQL: making a data folder, starting and stopping a server.


@dataclass(frozen=True)
class ServerPrograms:
    """The programs of one server.

    Attributes:
        home: Where they run. data: the folder of the data, in it.
        account: Whom they run as, None for ourselves.
    """

    home: Path
    data: Path
    programs: PostgresPrograms
    account: Account | None

    def make(self) -> None:
        """Make the data folder; it gets its name when it is whole."""
        draft = Path(tempfile.mkdtemp(prefix="new-", dir=self.home))
        give(draft, self.account)
        done = self._run(
            "initdb", "-D", draft.name, "-U", "postgres", "--auth=trust", "--encoding=UTF8",
            "--no-locale", "--no-sync", "--no-instructions",
        )  # fmt: skip
        if done.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            raise self._failed("could not be set up", done)
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(SETTINGS)
        draft.rename(self.data)

    @property
    def place(self) -> bytes:
        """Return what tells the data folder from a copy of it."""
        facts = self.data.stat()
        return b"%d:%d\n" % (facts.st_dev, facts.st_ino)

    def _take_over(self) -> None:
        """Give a copy of a data folder, which is its copier's, to the account of the server."""
        account = self.account
        if account is None or self.data.stat().st_uid == account.uid:
            return
        for folder, _, names in os.walk(self.data):
            for name in ("", *names):
                os.lchown(os.path.join(folder, name), account.uid, account.gid)  # noqa: PTH118

    def launch(self, stale: Postmaster | None) -> None:
        """Start a server, after what a dead one left is removed.

        Raises:
            DatabaseError: it does not start; shows the last lines of its log.
        """
        self._take_over()
        folder = socket_folder(self.data, self.account)
        if stale is not None:  # its pid may be another process by now, which Postgres would respect
            for path in (self.data / "postmaster.pid", folder / f"{SOCKET_NAME}.lock"):
                path.unlink(missing_ok=True)
        log = self.data / "log"
        log.unlink(missing_ok=True)
        # Relative paths: pg_ctl builds a shell line from them, and the project's may hold anything.
        where = "." if folder == self.data else str(folder)
        done = self._run(
            "pg_ctl", "start", "-D", self.data.name, "-w", "-t", str(int(START_S)),
            "-l", f"{self.data.name}/log", "-o", f"-k {where}",
        )  # fmt: skip
        if done.returncode == 0 or "still in use" in self.log_tail():
            return  # in use: the backends of a killed server are leaving; the caller tries again
        raise self._failed("did not start", done)

    def stop(self) -> None:
        """Stop the server, at once where it does not end in time."""
        for mode, seconds in (("fast", "30"), ("immediate", "10")):
            done = self._run(
                "pg_ctl", "stop", "-D", self.data.name, "-w", "-t", seconds, "-m", mode
            )
            postmaster = read_postmaster(self.data)
            if done.returncode == 0 or postmaster is None or not postmaster.alive:
                return

    def log_tail(self) -> str:
        """Return the last lines of the server's log."""
        try:
            lines = file_bytes(self.data / "log").decode(errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(f"  {line}" for line in lines[-5:])

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        account = self.account
        try:
            return subprocess.run(  # noqa: S603 - our own programs, no shell
                [str(self.programs.folder / program), *arguments],
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
        message = " ".join(done.stderr.split())[-500:] or self.log_tail()
        return DatabaseError(
            f"the embedded Postgres in {self.home} {what}: {message}\n{self.log_tail()}".rstrip(),
            remedy=f"remove {self.home} (it is built again), or set RAGATE_DATABASE_URL",
        )


# Reading postmaster.pid, and telling a live server from a pid that someone else has now.


@dataclass(frozen=True)
class Postmaster:
    """The server process that postmaster.pid names; it may be long gone."""

    pid: int
    data: Path
    ready: bool

    @property
    def alive(self) -> bool:
        """True while that process is a Postgres server on this data folder."""
        if sys.platform == "linux":
            # A server works inside its data folder; a dead one that nobody waited for has none.
            process = Path(f"/proc/{self.pid}")
            try:
                return (process / "cwd").samefile(self.data)
            except PermissionError:  # in a container root sees that of its own processes alone
                return _program_of(process) == "postgres"
            except OSError:
                return False
        # No /proc: the name must do.
        done = subprocess.run(  # noqa: S603
            ["/bin/ps", "-p", str(self.pid), "-o", "comm="],
            capture_output=True,
            text=True,
            check=False,
        )
        return "postgres" in done.stdout


def _program_of(process: Path) -> str:
    """Return the name of the program that a process was started with, "" for one that is dead."""
    try:
        command = first_bytes(process / "cmdline", 4096)
    except OSError:
        return ""
    return os.path.basename(command.partition(b"\0")[0].decode(errors="replace"))  # noqa: PTH119


def read_postmaster(data: Path) -> Postmaster | None:
    """Return what postmaster.pid says; None where there is none or its first line is no pid."""
    try:
        lines = first_bytes(data / "postmaster.pid", 10_000).decode(errors="replace").splitlines()
        pid = int(lines[0])
    except (OSError, IndexError, ValueError):
        return None
    ready = len(lines) >= 8 and lines[7].strip() == "ready"
    return Postmaster(abs(pid), data, ready)
