"""Reading postmaster.pid, and telling a live server from a pid that someone else has now."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


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
            try:
                return Path(f"/proc/{self.pid}/cwd").samefile(self.data)
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


def read_postmaster(data: Path) -> Postmaster | None:
    """Return what postmaster.pid says; None where there is none or its first line is no pid."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        pid = int(lines[0])
    except (OSError, IndexError, ValueError):
        return None
    ready = len(lines) >= 8 and lines[7].strip() == "ready"
    return Postmaster(abs(pid), data, ready)
