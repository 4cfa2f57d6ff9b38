"""Sending a run to the store, as one row: when it begins, and when it ends, however it ends.

The mark ``sent.json`` in a run's folder says to a later command what one store has of it. A run
that no command began to send, such as the check of a fork, has no mark and is not meant for it.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg

from ragate.contrib.run_store.connect import connect, store_key, taken_alone, told
from ragate.contrib.run_store.reading import FILES, column
from ragate.errors import RagateError, StorageError, UsageError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import file_bytes, open_file
from ragate.stores import BEGUN, MANIFEST
from ragate.stores.begun_run import read_begun
from ragate.stores.listed_run import LISTING, UNREADABLE, read_listed_run, run_facts

MARK = "sent.json"
MOST_LATE = 5  # earlier runs that one run sends beside its own
PATIENCE_S, HURRY_S = 30.0, 5.0  # for an answer: at the end, after Ctrl-C
_SLOWEST = 500_000  # bytes a second of an upload that is waited for
_LOOKED_AT = 200  # runs, the newest
_PART_BYTES = 1024 * 1024
_FAILURES = (psycopg.Error, RagateError, OSError)
_COLUMNS = ("run_id", "sent", "ended", *map(column, FILES))
_INSERT = (
    f"INSERT INTO ragate_runs.runs ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of ours
    f"VALUES ({', '.join(['%s'] * len(_COLUMNS))})"
)


def _new_id() -> str:
    return str(uuid4())


@dataclass(frozen=True)
class Mark:
    """What one store has of a run.

    Attributes:
        store: Names it, as `store_key`.
        sent: The newest row that it has, "" for none.
        next: The row that is sent next: where its answer was lost, it may be there already.
        ended: It has the run's end.
    """

    store: str
    sent: str = ""
    next: str = field(default_factory=_new_id)
    ended: bool = False

    def write(self, folder: Path) -> None:
        """Write it into a run's folder."""
        write_atomic(folder / MARK, json.dumps(asdict(self)).encode() + b"\n")


def read_mark(folder: Path, store: str) -> Mark | None:
    """Return the mark of a folder, None where there is none of this store."""
    try:
        mark = Mark(**json.loads(file_bytes(folder / MARK)))
        UUID(mark.next)
    except UNREADABLE:
        return None
    return mark if mark.store == store and isinstance(mark.ended, bool) else None


@contextmanager
def sending(url: str, folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold a run in the store while it goes on; one that is interrupted is sent as it is then.

    Raises:
        DatabaseError: the store cannot be reached or written now.
        UsageError: another process, on whatever machine, is at this run.
    """
    with closing(connect(url)) as connection:
        if not taken_alone(connection, folder.name):
            raise UsageError(
                f"the run {folder.name} is under way in another process, the store says",
                remedy="wait for it, or end its process first",
            )
        mark = Mark(store_key(url))
        try:
            _insert(connection, _row(folder, mark))
        except psycopg.Error as error:
            raise told(error, url) from error
        Mark(mark.store, sent=mark.next).write(folder)
        try:
            yield
        except BaseException:
            send(url, folder, say, patience_s=HURRY_S)
            raise


def send(
    url: str, folder: Path, say: Callable[[str], None], *, patience_s: float = PATIENCE_S
) -> bool:
    """Send a run as far as it came; return False, and say why, where the store lacks it."""
    store = store_key(url)
    mark = read_mark(folder, store) or Mark(store)
    if mark.ended:
        return True
    problem = _problem(url, folder, mark, patience_s)
    if problem:
        say(
            f"warning: the run store lacks the run {folder.name}, or a part of it: {problem}\n"
            "  -> it is whole in the state folder; the next run sends it as well"
        )
    else:
        mark = Mark(store, sent=mark.next, ended=has_ended(folder))
    with suppress(StorageError):  # where the disk is full, a later run sends it once more
        mark.write(folder)
    return not problem


def send_late(url: str, runs: Path, say: Callable[[str], None]) -> None:
    """Send what the store did not get of earlier runs, the newest first."""
    store = store_key(url)
    for folder in islice(_late(runs, store), MOST_LATE):
        if not send(url, folder, say):
            return
        say(f"the run store has got the run {folder.name} of before")


def _late(runs: Path, store: str) -> Iterator[Path]:
    """Yield the folders of runs that ended, whose sending was begun and did not come to its end."""
    for folder in sorted(runs.iterdir(), reverse=True)[:_LOOKED_AT]:
        mark = read_mark(folder, store)
        if mark is not None and not mark.ended and has_ended(folder):
            yield folder


def _problem(url: str, folder: Path, mark: Mark, patience_s: float) -> str:
    """Send a row; return why it did not go through, "" where it did."""
    problems = [f"it did not answer within {patience_s:g} s"]

    def work() -> None:
        try:
            _send_row(url, row)
            problems.clear()
        except _FAILURES as error:
            problems[:] = [_words(error, url)]

    try:
        row = _row(folder, mark)
    except _FAILURES as error:
        return _words(error, url)
    size = sum(len(value) for value in row if isinstance(value, bytes))
    thread = threading.Thread(target=work, name="ragate-runs", daemon=True)
    thread.start()
    thread.join(patience_s + size / _SLOWEST)
    return problems[0] if problems else ""


def _send_row(url: str, row: tuple[Any, ...]) -> None:
    """Send a row; once more where the answer was lost: its id tells whether it is there."""
    try:
        _send_once(url, row)
    except psycopg.OperationalError:
        _send_once(url, row)


def _send_once(url: str, row: tuple[Any, ...]) -> None:
    with closing(connect(url)) as connection:
        _insert(connection, row)


def _insert(connection: psycopg.Connection[Any], row: tuple[Any, ...]) -> None:
    try:
        connection.execute(_INSERT.encode(), row)
    except psycopg.errors.UniqueViolation as error:
        if error.diag.constraint_name != "runs_sent":  # else it had come, and the answer was lost
            raise


def _row(folder: Path, mark: Mark) -> tuple[Any, ...]:
    """Return a run as a row of `_COLUMNS`.

    Raises:
        OSError: a file cannot be read, or is larger than any run's.
    """
    bodies = [_listing(folder) if name == LISTING else _packed(folder / name) for name in FILES]
    return (folder.name, mark.next, has_ended(folder), *bodies)


def _packed(path: Path) -> bytes | None:
    """Return a file as gzip has it, None where there is none."""
    if path.suffix == ".gz":
        return file_bytes(path, max_bytes=FILES[path.name]) if path.is_file() else None
    packing = zlib.compressobj(1, wbits=31)
    try:
        with open_file(path, max_bytes=FILES[path.name]) as stream:
            parts = [packing.compress(part) for part in iter(lambda: stream.read(_PART_BYTES), b"")]
    except FileNotFoundError:
        return None
    return b"".join([*parts, packing.flush()])


def _listing(folder: Path) -> bytes:
    """Return what a list shows of a run, as its folder has it or tells it."""
    if (folder / MANIFEST).is_file() and (folder / LISTING).is_file():
        return file_bytes(folder / LISTING)
    return json.dumps(run_facts(read_listed_run(folder)) | {"manifest_bytes": 0}).encode()


def _words(error: BaseException, url: str) -> str:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return "another process has ended this run there"
    if isinstance(error, psycopg.Error):
        return told(error, url).message
    return error.message if isinstance(error, RagateError) else str(error)


def has_ended(folder: Path) -> bool:
    """Return whether a run came to its end: with a manifest, or as a `collect`."""
    if (folder / MANIFEST).is_file():
        return True
    try:
        return (folder / BEGUN).is_file() and read_begun(folder).ended
    except StorageError:
        return False
