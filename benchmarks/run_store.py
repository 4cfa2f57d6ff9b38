"""What the run store costs: writing records beside a bare COPY of the same rows, and a long list.

    python -m benchmarks.run_store

Every figure is of the embedded server on this machine, in turns, so that other work falls on all
alike. The records are those of 2,000 samples in five passes, with scores of six metrics; written
are the folder's files as `check` leaves them, with their outputs of about 3 kB each.

- *records*: a finished run is sent (files read, parts copied, end noted, one transaction), beside a
  bare COPY of the same rows into the same table: parts that lie in memory, without files or end.
- *a row a record*: the same bytes by a bare COPY with one row for each line, the other design.
- *while it goes on*: what a batch of 50 outputs costs, each half second.
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
from ragate.database import PostgresDatabase
from ragate.database.migrations import migrate
from ragate.models import Record, Run, RunManifest, Score, SystemInfo, SystemOutput
from ragate.stores.listed_run import LISTING
from ragate.stores.local import LocalStore
from ragate.stores.postgres import open_store
from ragate.stores.postgres.connect import MIGRATIONS
from ragate.stores.postgres.outbox import Outbox
from ragate.stores.postgres.reading import FILES, pieces_of

SAMPLES, PASSES, RUNS, ROUNDS = 2_000, 5, 10_000, 5
WORDS = Path("docs/security.md").read_text().replace("\\", "").split()
METRICS = ("recall@5", "mrr", "ndcg@10", "token_f1", "idf_f1", "number_recall")
_INSERT = "INSERT INTO ragate_runs"
_LINES = """
CREATE TABLE public.lines (
    session uuid NOT NULL, file text NOT NULL, part integer NOT NULL, body bytea NOT NULL,
    writer name NOT NULL DEFAULT session_user,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (session, writer, file, part)
)
"""
Row = tuple[Any, str, int, bytes]


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


def parts(folder: Path) -> list[Row]:
    """Return the rows of a run's files as the store keeps them."""
    session = uuid4()
    return [
        (session, piece.file, piece.part, piece.read(folder))
        for file in FILES
        for piece in pieces_of(folder, file)
    ]


def lines(folder: Path) -> list[Row]:
    """Return a row for each line of the records and outputs."""
    session = uuid4()
    return [
        (session, name, number, line)
        for name in ("scores.jsonl", "outputs.jsonl")
        for number, line in enumerate((folder / name).read_bytes().splitlines(keepends=True))
    ]


def bare_copy(connection: psycopg.Connection[Any], table: str, rows: list[Row]) -> None:
    query = f"COPY {table} (session, file, part, body) FROM STDIN (FORMAT BINARY)"
    with (
        connection.transaction(),
        connection.cursor() as cursor,
        cursor.copy(query.encode()) as copy,
    ):
        copy.set_types(["uuid", "text", "int4", "bytea"])
        for row in rows:
            copy.write_row(row)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def writing(connection: psycopg.Connection[Any], folder: Path) -> None:
    """Print what a finished run costs beside bare copies, in turns."""
    took: dict[str, list[float]] = {"sent": [], "bare": [], "lines": []}
    rows, single = parts(folder), lines(folder)
    for _ in range(ROUNDS):
        connection.execute("TRUNCATE ragate_runs.runs CASCADE")
        connection.execute("TRUNCATE public.lines")
        took["sent"].append(seconds(lambda: Outbox(folder, "here").end(connection)))
        session = uuid4()
        connection.execute(f"{_INSERT}.runs (run_id) VALUES ('bare')".encode())
        of = (session, "bare")
        connection.execute(f"{_INSERT}.sessions (session, run_id) VALUES (%s, %s)".encode(), of)
        mine = [(session, *row[1:]) for row in rows]
        into = partial(bare_copy, connection)
        took["bare"].append(seconds(partial(into, "ragate_runs.pieces", mine)))
        took["lines"].append(seconds(partial(into, "public.lines", single)))
    middle = {name: statistics.median(each) for name, each in took.items()}
    size = sum(len(row[3]) for row in rows)
    print(f"{SAMPLES * PASSES:,} records with their outputs: {size / 1e6:.1f} MB")
    for name, words in (
        ("sent", "a run sent, with its files and its end"),
        ("bare", "a bare COPY of the same rows"),
        ("lines", "a bare COPY of a row a line"),
    ):
        rounds = " ".join(f"{each:.2f}" for each in took[name])
        print(f"  {words + ':':<42} {middle[name]:.2f} s ({rounds})")
    print(f"  sent / bare: {middle['sent'] / middle['bare']:.2f} (goal: under 2)")
    print(f"  sent / a row a line: {middle['sent'] / middle['lines']:.2f}")
    for table, words, copies in (
        ("ragate_runs.pieces", "as parts", 2),
        ("public.lines", "a row a line", 1),
    ):
        query = "SELECT pg_total_relation_size(%s::regclass)"
        (used,) = connection.execute(query, (table,)).fetchone() or (0,)
        print(f"  on the disk {words}: {used / copies / 1e6:.1f} MB")


def batches(connection: psycopg.Connection[Any], folder: Path) -> None:
    """Print what a batch of 50 outputs costs while a run goes on."""
    every = (folder / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as name:
        growing = Path(name) / "20260102-000000-000-0000"
        growing.mkdir()
        outbox, took = Outbox(growing, "here"), []
        for start in range(0, 5_000, 50):
            with (growing / "outputs.jsonl").open("ab") as file:
                file.writelines(every[start : start + 50])
            took.append(seconds(lambda: outbox.send_growth(connection)))
    middle, most = statistics.median(took) * 1000, max(took) * 1000
    print(f"a batch of 50 outputs: {middle:.1f} ms, at most {most:.1f} ms")


def listing(connection: psycopg.Connection[Any], folder: Path, url: str) -> None:
    """Print how long the list takes where another machine wrote ten thousand runs."""
    connection.execute("TRUNCATE ragate_runs.runs CASCADE")
    text = (folder / LISTING).read_bytes()
    ids = [f"20260101-{number:06d}-000-{number % 65536:04x}" for number in range(RUNS)]
    with connection.transaction(), connection.cursor() as cursor:
        for query, extra in (
            ("COPY ragate_runs.runs (run_id) FROM STDIN", ()),
            ("COPY ragate_runs.ends (run_id, session, sizes, listing) FROM STDIN", (True,)),
        ):
            with cursor.copy(query.encode()) as copy:
                for run_id in ids:
                    copy.write_row((run_id, uuid4(), "{}", text) if extra else (run_id,))
    connection.execute("VACUUM ANALYZE ragate_runs.ends, ragate_runs.runs")
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
    lines_of = "\n".join(map(run_line, open_store(project / ".ragate", url).listed()))
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
        connection.execute(_LINES.encode())
        run = a_run(LocalStore(folder / "state"), 0)
        writing(connection, run)
        batches(connection, run)
        listing(connection, run, url)


if __name__ == "__main__":
    main()
