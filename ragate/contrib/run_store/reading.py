"""Runs of the store, one row each time that one was sent: what a list shows, and a run's files."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ragate.errors import StorageError
from ragate.stores import BEGUN, MANIFEST, OUTPUTS, REPORT, RUN_FILES, SCORES
from ragate.stores.listed_run import LISTING
from ragate.stores.local import is_run_id
from ragate.stores.spent_calls import SPENT

if TYPE_CHECKING:
    import psycopg

SMALL = 16 * 1024 * 1024
FILES: Mapping[str, int] = {
    BEGUN: SMALL,
    LISTING: SMALL,
    SPENT: 256 * 1024 * 1024,
    **RUN_FILES,
}
"""What is kept of a run, with the most bytes of each; its column has the name before the dot."""
UNFINISHED = (BEGUN, OUTPUTS, SPENT)
"""What a run needs to go on elsewhere."""
FIGURES = (MANIFEST, SCORES)
READ = (*FIGURES, REPORT, LISTING)
TEXTS = (*READ, OUTPUTS)

# Of each run and writer the row that ended it, or else the newest.
_ROWS = (
    "SELECT DISTINCT ON (run_id, writer) run_id, writer::text, sent, "
    "extract(epoch FROM sent_at)::float8, ended, manifest IS NOT NULL, listing "
    "FROM ragate_runs.runs WHERE %s IN ('', run_id) "
    "ORDER BY run_id DESC, writer, ended DESC, sent_at DESC"
)
_PART_BYTES = 1024 * 1024
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A run as the store has it.

    Attributes:
        writer: The role that wrote it.
        sent, at: The id of the row, and when it came, in seconds since the epoch.
        ended: It came to its end.
        scored: It has a manifest.
        listing: What a list shows; None in a store that another ragate wrote.
    """

    run_id: str
    writer: str
    sent: UUID
    at: float
    ended: bool
    scored: bool
    listing: bytes | None


def column(file: str) -> str:
    """Return the name of a file's column."""
    return file.partition(".")[0]


def stored_rows(connection: psycopg.Connection[Any], run_id: str = "") -> list[StoredRow]:
    """Return every run, newest first, or those of one id: two where two roles wrote one each."""
    with connection.cursor(binary=True) as cursor:
        rows = [StoredRow(*row) for row in cursor.execute(_ROWS, (run_id,))]
    return [row for row in rows if is_run_id(row.run_id)]  # a folder has its name


def role_of(connection: psycopg.Connection[Any]) -> str:
    """Return the role that is connected: the writer of what is sent now."""
    row = connection.execute("SELECT session_user::text").fetchone()
    return "" if row is None else str(row[0])


def fetch(
    connection: psycopg.Connection[Any], row: StoredRow, target: Path, names: Iterable[str]
) -> None:
    """Write files of a run into a folder, which is made.

    Raises:
        StorageError: the run is not there any more, or a file is damaged; names the run.
    """
    target.mkdir(parents=True, exist_ok=True)
    try:
        for file, body in _bodies(connection, row, [name for name in names if name in FILES]):
            _unpack(body, target / file)
    except StorageError as error:
        raise StorageError(
            f"the run {row.run_id} of the run store (written by {row.writer}): {error.message}",
            remedy="remove it with `ragate runs prune`",
        ) from error


def _bodies(
    connection: psycopg.Connection[Any], row: StoredRow, files: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield those of the files that a run has, packed."""
    columns = ", ".join(map(column, files))
    query = f"SELECT {columns} FROM ragate_runs.runs WHERE sent = %s AND writer = %s"  # noqa: S608
    with connection.cursor(binary=True) as cursor:
        found = cursor.execute(query.encode(), (row.sent, row.writer)).fetchone()
    if found is None:
        raise StorageError("it was removed just now")
    yield from ((file, body) for file, body in zip(files, found, strict=True) if body is not None)


def _unpack(body: bytes, target: Path) -> None:
    """Write a file, in parts, as it was before it was packed."""
    whole: io.BytesIO | gzip.GzipFile = io.BytesIO(body)
    if body.startswith(_GZIP) and target.suffix != ".gz":
        whole = gzip.GzipFile(fileobj=whole)
    most = left = FILES[target.name]
    try:
        with target.open("wb") as stream:
            while part := whole.read(_PART_BYTES):
                left -= len(part)
                if left < 0:
                    raise StorageError(f"{target.name}: more than {most} bytes in the store")
                stream.write(part)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StorageError(f"{target.name}: damaged in the store: {error}") from error
