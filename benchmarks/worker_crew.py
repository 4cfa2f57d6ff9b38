"""Worker processes on one machine, with a queue of their own, for the benchmarks of workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ragate.database import PostgresDatabase
from tests.servers.queue import fresh_queue
from tests.slow_rag import SlowProject

RAGATE = str(Path(sys.executable).with_name("ragate"))
CLEAN = {name: text for name, text in os.environ.items() if not name.startswith("RAGATE_")}


class Crew:
    """A project, its queue, and the processes that were started.

    Args:
        folder: Its own.
        url: The queue.
    """

    def __init__(self, folder: Path, url: str, *, samples: int, seconds: float) -> None:
        self.project = SlowProject(folder, samples=samples, seconds=seconds)
        self.processes: list[subprocess.Popen[bytes]] = []
        self._env = {**CLEAN, "RAGATE_QUEUE_URL": url}

    def worker(self, in_flight: int) -> subprocess.Popen[bytes]:
        """Start a worker in a checkout of its own."""
        root = self.project.clone(f"worker{len(self.processes)}")
        return self._start(root, "worker", "--concurrency", str(in_flight))

    def record(self) -> subprocess.Popen[bytes]:
        """Start the recording of a baseline of one pass, whose questions the workers ask."""
        return self._start(
            self.project.clone("run"), "baseline", "update", "--workers", "--runs", "1"
        )

    def _start(self, root: Path, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [RAGATE, *arguments],
            cwd=root,
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=(root.parent / f"{root.name}.err").open("wb"),
        )
        self.processes.append(process)
        return process

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def server() -> Iterator[str]:
    """Yield a connection string to a Postgres, embedded where none is named."""
    folder = Path(tempfile.mkdtemp(prefix="ragate-bench-"))
    folder.chmod(0o755)
    try:
        with PostgresDatabase(folder, url=os.environ.get("RAGATE_DATABASE_URL")) as database:
            yield database.conninfo()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def crew(
    conninfo: str,
    *,
    samples: int,
    seconds: float,
    reached_by: Callable[[str], str] = lambda url: url,
) -> Iterator[Crew]:
    """Yield a crew with a queue and a folder of its own; its processes end with it.

    Args:
        reached_by: Returns the connection string with which the processes reach the queue.
    """
    folder = Path(tempfile.mkdtemp(prefix="ragate-crew-"))
    with fresh_queue(conninfo) as url:
        made = Crew(folder, reached_by(url), samples=samples, seconds=seconds)
        try:
            yield made
        finally:
            made.end()
            shutil.rmtree(folder, ignore_errors=True)
