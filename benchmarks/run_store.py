"""What the run store costs: sending a run, and a long list.

    python -m benchmarks.run_store

Every figure is of the embedded server on this machine. The records are those of 2,000 samples in
five passes, with scores of six metrics; written are the folder's files as `check` leaves them, with
their outputs of about 3 kB each.

- *records*: a finished run is sent: files read and packed, one row.
- *list*: 10,000 runs that another machine wrote, read and made into lines; and the whole command
  with the start of Python, beside one that lists nothing.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg

from benchmarks.many_runs import CONFIG
from ragate.cli.commands.runs import run_line
from ragate.contrib.run_store.connect import MIGRATIONS
from ragate.contrib.run_store.migrations import migrate
from ragate.contrib.run_store.sender import MARK, send
from ragate.contrib.run_store.shared_store import SharedStore
from ragate.database import PostgresDatabase
from ragate.models import Record, Run, RunManifest, Score, SystemInfo, SystemOutput
from ragate.stores.listed_run import LISTING
from ragate.stores.local import LocalStore

SAMPLES, PASSES, RUNS, ROUNDS = 2_000, 5, 10_000, 5
WORDS = Path("docs/security.md").read_text().replace("\\", "").split()
METRICS = ("recall@5", "mrr", "ndcg@10", "token_f1", "idf_f1", "number_recall")
_SIZE = "SELECT pg_total_relation_size('ragate_runs.runs')"


def a_run(store: LocalStore, number: int) -> Path:
    """Write the folder of a finished run with its outputs, in words of the manual."""
    records = [
        Record(
            sample_id=f"question-{sample:05d}",
            run=run,
            content_hash=f"{sample:016x}",
            retrieval_hash=f"{sample * 7:016x}",
            output_hash=f"{sample * 11 + run:016x}",
            output=SystemOutput(chunks=(), answer=f"Answer {sample}, of pass {run}. " * 8),
            scores={name: Score(metric=name, value=(sample % 97) / 97) for name in METRICS},
        )
        for run in range(PASSES)
        for sample in range(SAMPLES)
    ]
    manifest = RunManifest(
        run_id=f"20260101-000000-{number:03d}-0000",
        gate="docs",
        commit="0" * 40,
        created="2026-01-01T00:00:00+00:00",
        system=SystemInfo(use="http", fingerprint="f"),
    )
    folder = store.save(Run(manifest=manifest, records=records))
    drawn = random.Random(0)
    with (folder / "outputs.jsonl").open("w") as file:
        for record in records:
            text = " ".join(drawn.choices(WORDS, k=450)).replace('"', "'")
            file.write(f'{{"id": "{record.sample_id}", "answer": "{text}"}}\n')
    return folder


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def writing(connection: psycopg.Connection[Any], folder: Path, url: str) -> None:
    """Print what sending a finished run costs, and its size on the disk."""
    took = []
    for _ in range(ROUNDS):
        connection.execute("TRUNCATE ragate_runs.runs")
        (folder / MARK).unlink(missing_ok=True)
        took.append(seconds(lambda: send(url, folder, print)))
    size = sum(path.stat().st_size for path in folder.iterdir())
    (used,) = connection.execute(_SIZE).fetchone() or (0,)
    rounds = " ".join(f"{each:.2f}" for each in took)
    print(f"{SAMPLES * PASSES:,} records with their outputs: {size / 1e6:.1f} MB")
    print(f"  sent: {statistics.median(took):.2f} s ({rounds})")
    print(f"  on the disk: {used / 1e6:.1f} MB")


def listing(connection: psycopg.Connection[Any], folder: Path, url: str) -> None:
    """Print how long the list takes where another machine wrote ten thousand runs."""
    connection.execute("TRUNCATE ragate_runs.runs")
    text = (folder / LISTING).read_bytes()
    ids = [f"20260101-{number:06d}-000-{number % 65536:04x}" for number in range(RUNS)]
    with connection.transaction(), connection.cursor() as cursor:
        query = "COPY ragate_runs.runs (run_id, sent, ended, listing, manifest) FROM STDIN"
        with cursor.copy(query.encode()) as copy:
            for run_id in ids:
                copy.write_row((run_id, uuid4(), True, text, b"{}"))
    connection.execute("VACUUM ANALYZE ragate_runs.runs")
    connection.execute("CHECKPOINT")  # what was written before is not written beside what is timed
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        (project / "ragate.toml").write_text(CONFIG)
        took = [seconds(partial(all_lines, project, url)) for _ in range(ROUNDS)]
        rounds = " ".join(f"{each:.2f}" for each in took)
        middle = statistics.median(took)
        print(f"{RUNS:,} runs of the store, as lines: {middle:.2f} s ({rounds}) (goal: under 0.5)")
        print(f"  the whole command: {command_seconds(project, url)}")
        print(f"  of no run and without a store: {command_seconds(project, '')}")


def all_lines(project: Path, url: str) -> None:
    """Do what the command does once its modules are there: connect, read, and make the lines."""
    lines_of = "\n".join(map(run_line, SharedStore(project / ".ragate", url).listed()))
    assert lines_of.count("\n") == RUNS - 1


def command_seconds(project: Path, url: str) -> str:
    took, count = [], 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "ragate", "runs", "list"],
            cwd=project,
            env={**os.environ, "RAGATE_RUNS_URL": url},
            capture_output=True,
            check=True,
            text=True,
        )
        took.append(time.perf_counter() - began)
        count = done.stdout.count("\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / ROUNDS
    rounds = " ".join(f"{each:.2f}" for each in took)
    return f"{statistics.median(took):.2f} s ({rounds}), {cpu:.2f} s of its CPU, {count:,} lines"


@contextmanager
def own_database(server: PostgresDatabase) -> Iterator[str]:
    """Yield the URL of a store of this benchmark alone."""
    conninfo, name = server.conninfo(), "ragate_bench_runs"
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield psycopg.conninfo.make_conninfo(conninfo, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def main() -> None:
    # The server may run as another account, which has to reach the folder.
    folder = Path(tempfile.mkdtemp(prefix="ragate-bench-"))
    folder.chmod(0o755)
    with (
        PostgresDatabase(folder) as server,
        own_database(server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        migrate(connection, MIGRATIONS)
        run = a_run(LocalStore(folder / "state"), 0)
        writing(connection, run, url)
        listing(connection, run, url)


if __name__ == "__main__":
    main()
