"""Runs read from the store: what a list shows, and files into a folder, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ragate.errors import StorageError
from ragate.files.foreign_files import file_bytes, open_file
from ragate.stores import BEGUN, MANIFEST, OUTPUTS, REPORT, RUN_FILES, SCORES
from ragate.stores.listed_run import LISTING, ListedRun, RunStatus
from ragate.stores.local import is_run_id
from ragate.stores.spent_calls import SPENT

if TYPE_CHECKING:
    import psycopg

_LIST = (
    "SELECT r.run_id, r.writer::text, e.session IS NOT NULL, e.listing FROM ragate_runs.runs AS r "
    "LEFT JOIN ragate_runs.ends AS e ON e.run_id = r.run_id AND e.writer = r.writer "
    "ORDER BY r.run_id DESC, r.writer"
)
_ENDED_BY = "SELECT session FROM ragate_runs.ends WHERE run_id = %s AND writer = %s"
_SIZES = "SELECT sizes FROM ragate_runs.ends WHERE run_id = %s AND writer = %s"
_NEWEST = (
    "SELECT session FROM ragate_runs.sessions WHERE run_id = %s AND writer = %s "
    "ORDER BY begun_at DESC LIMIT 1"
)
_WRITTEN = (
    "SELECT extract(epoch FROM greatest(max(s.begun_at), max(p.sent_at)))::float8 "
    "FROM ragate_runs.sessions AS s LEFT JOIN ragate_runs.pieces AS p "
    "ON p.session = s.session AND p.writer = s.writer WHERE s.run_id = %s AND s.writer = %s"
)
_INTERRUPTED = (
    "SELECT r.run_id, r.writer::text FROM ragate_runs.runs AS r LEFT JOIN ragate_runs.ends AS e "
    "ON e.run_id = r.run_id AND e.writer = r.writer "
    "WHERE e.run_id IS NULL AND r.writer = session_user ORDER BY r.run_id DESC LIMIT %s"
)
MOST_BYTES = 1024 * 1024  # of one part, so that neither side holds a file in memory
SMALL = 16 * 1024 * 1024
FILES: Mapping[str, int] = {
    BEGUN: SMALL,
    LISTING: SMALL,
    SPENT: 256 * 1024 * 1024,
    **RUN_FILES,
}
"""What is kept of a run, with the most bytes of each."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A run as the store has it.

    Attributes:
        writer: The role that wrote it.
        ended: It came to its end.
        listing: What a list shows; None of a run without a manifest.
    """

    run_id: str
    writer: str
    ended: bool = False
    listing: bytes | None = None

    @property
    def named(self) -> bool:
        """Whether its id is one that a run can have, and a folder."""
        return is_run_id(self.run_id)


def stored_rows(connection: psycopg.Connection[Any]) -> list[StoredRow]:
    """Return every run, newest first."""
    with connection.cursor(binary=True) as cursor:
        return [StoredRow(*row) for row in cursor.execute(_LIST)]


def rows_of(connection: psycopg.Connection[Any], run_id: str) -> list[StoredRow]:
    """Return the runs of one id: one, but where two roles wrote one each."""
    query = _LIST.replace("ORDER BY", "WHERE r.run_id = %s ORDER BY")
    with connection.cursor(binary=True) as cursor:
        return [StoredRow(*row) for row in cursor.execute(query.encode(), (run_id,))]


def interrupted_rows(connection: psycopg.Connection[Any], *, most: int) -> list[StoredRow]:
    """Return the newest runs that did not end, of the role that is connected."""
    return [StoredRow(*row) for row in connection.execute(_INTERRUPTED, (most,))]


def role_of(connection: psycopg.Connection[Any]) -> str:
    """Return the role that is connected: the writer of what is sent now."""
    row = connection.execute("SELECT session_user::text").fetchone()
    return "" if row is None else str(row[0])


def newest_session(connection: psycopg.Connection[Any], row: StoredRow) -> UUID | None:
    """Return the session that counts: the one that ended the run, or else the newest."""
    query = _ENDED_BY if row.ended else _NEWEST
    found = connection.execute(query.encode(), (row.run_id, row.writer)).fetchone()
    return None if found is None else UUID(str(found[0]))


def written_at(connection: psycopg.Connection[Any], row: StoredRow) -> float:
    """Return when something last arrived of a run, in seconds since the epoch; 0.0 for never."""
    found = connection.execute(_WRITTEN, (row.run_id, row.writer)).fetchone()
    return 0.0 if found is None or found[0] is None else float(found[0])


def fetch(
    connection: psycopg.Connection[Any], row: StoredRow, target: Path, names: Iterable[str]
) -> None:
    """Write files of a run into a folder, which is made.

    Raises:
        StorageError: the run is not there any more, or lacks a part; names the run.
    """
    names = tuple(names)
    target.mkdir(parents=True, exist_ok=True)
    try:
        session = newest_session(connection, row)
        # Of a run without a session nothing is there, which the sizes, or who reads it, tell.
        found = {} if session is None else copy_out(connection, session, row.writer, target, names)
        _say_whether_ended(target, row)
        if row.ended:
            _refuse_half(connection, row, found, names)
    except StorageError as error:
        raise StorageError(
            f"the run {row.run_id} of the run store (written by {row.writer}): {error.message}",
            remedy="remove it with `ragate runs prune`",
        ) from error


def fetch_heads(connection: psycopg.Connection[Any], row: StoredRow, target: Path) -> None:
    """Write what the list tells of a run without scores: with what it began, and its header.

    Raises:
        StorageError: a part is missing.
    """
    target.mkdir(parents=True, exist_ok=True)
    session = newest_session(connection, row)
    if session is not None:
        copy_out(connection, session, row.writer, target, (BEGUN, OUTPUTS), heads=True)
        _say_whether_ended(target, row)


def _say_whether_ended(target: Path, row: StoredRow) -> None:
    """Let a fetched run say of its end what the store does: it was sent when the run began."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        begun = json.loads(file_bytes(target / BEGUN))
        if begun.get("ended", False) is not row.ended:
            (target / BEGUN).write_bytes(json.dumps({**begun, "ended": row.ended}).encode())


def _refuse_half(
    connection: psycopg.Connection[Any],
    row: StoredRow,
    found: dict[str, int],
    names: tuple[str, ...],
) -> None:
    ended = connection.execute(_SIZES, (row.run_id, row.writer)).fetchone()
    if ended is None:
        raise StorageError("it was removed just now")
    sizes = ended[0] if isinstance(ended[0], dict) else {}
    for name in names:
        if sizes.get(name, 0) != found.get(name, 0):
            raise StorageError(f"{name}: {found.get(name, 0)} bytes of {sizes.get(name, 0)}")


def counted(here: ListedRun | None, there: list[ListedRun]) -> list[ListedRun]:
    """Return those of one id that count: the folder here, unless it has not ended and one did."""
    if here is None:
        return there
    ended = [run for run in there if run.status is not RunStatus.UNFINISHED]
    return ended if ended and here.status is RunStatus.UNFINISHED else [here]


GROWING = frozenset({OUTPUTS, SPENT})
UNFINISHED = (BEGUN, OUTPUTS, SPENT)
"""What a run needs to go on elsewhere."""
FIGURES = (MANIFEST, SCORES)
READ = (*FIGURES, REPORT, LISTING)
TEXTS = (*READ, OUTPUTS)

_IN = "COPY ragate_runs.pieces (session, file, part, body) FROM STDIN (FORMAT BINARY)"
_OUT = (
    "COPY (SELECT file, part, body FROM ragate_runs.pieces WHERE session = %s AND writer = %s "
    "AND file = ANY(%s) AND (part = 0 OR NOT %s) ORDER BY file, part) TO STDOUT (FORMAT BINARY)"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file: its number, from 0, and where it stands there, in bytes."""

    file: str
    part: int
    offset: int
    size: int

    def read(self, folder: Path) -> bytes:
        """Return what stands there.

        Raises:
            StorageError: the file is shorter than it was.
        """
        path = folder / self.file
        try:
            with open_file(path, max_bytes=FILES[self.file]) as stream:
                stream.seek(self.offset)
                body = stream.read(self.size)
        except OSError as error:
            raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
        if len(body) != self.size:
            raise StorageError(f"{path}: became shorter while it was sent")
        return body


def pieces_of(folder: Path, file: str, *, part: int = 0, offset: int = 0) -> Iterator[Piece]:
    """Yield the parts of what a file holds from `offset` on; none where there is no file."""
    try:
        end = (folder / file).stat().st_size
    except OSError:
        return
    while offset < end:
        size = min(MOST_BYTES, end - offset)
        yield Piece(file, part, offset, size)
        part, offset = part + 1, offset + size


def copy_in(
    connection: psycopg.Connection[Any], session: UUID, folder: Path, pieces: Iterable[Piece]
) -> None:
    """Write parts to the store, one in memory at a time."""
    with connection.cursor() as cursor, cursor.copy(_IN.encode()) as copy:
        copy.set_types(["uuid", "text", "int4", "bytea"])
        for piece in pieces:
            copy.write_row((session, piece.file, piece.part, piece.read(folder)))


def copy_out(
    connection: psycopg.Connection[Any],
    session: UUID,
    writer: str,
    target: Path,
    names: Iterable[str],
    *,
    heads: bool = False,
) -> dict[str, int]:
    """Write files of a session into a folder that is there; return the bytes of each.

    Args:
        heads: The first part of each alone.

    Raises:
        StorageError: a part is missing, or a file is larger than any run's.
    """
    sizes: dict[str, int] = {}
    expected: tuple[str, int] = "", 0
    of = session, writer, sorted(name for name in names if name in FILES), heads
    with connection.cursor() as cursor, cursor.copy(_OUT.encode(), of) as out:
        out.set_types(["text", "int4", "bytea"])
        for file, part, body in out.rows():
            number = expected[1] if file == expected[0] else 0
            if part != number:
                raise StorageError(f"{file}: part {number} is missing in the store")
            expected = file, part + 1
            sizes[file] = sizes.get(file, 0) + len(body)
            if sizes[file] > FILES[file]:
                raise StorageError(f"{file}: more than {FILES[file]} bytes in the store")
            with (target / file).open("ab" if part else "wb") as stream:
                stream.write(body)
    return sizes
