"""The programs of the embedded PostgreSQL: making a data folder, starting and stopping a server."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ragate.database.folder import SOCKET_NAME, give, socket_folder
from ragate.database.install import Account, Programs
from ragate.database.postmaster import Postmaster, read_postmaster
from ragate.errors import DatabaseError

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
class ServerPrograms:
    """The programs of one server.

    Attributes:
        home: Where they run. data: the folder of the data, in it.
        account: Whom they run as, None for ourselves.
    """

    home: Path
    data: Path
    programs: Programs
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

    def launch(self, stale: Postmaster | None) -> None:
        """Start a server, after what a dead one left is removed.

        Raises:
            DatabaseError: it does not start; shows the last lines of its log.
        """
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
            lines = (self.data / "log").read_text(encoding="utf-8", errors="replace").splitlines()
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
