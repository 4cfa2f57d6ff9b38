"""The files of a run in parts, each a row: copied in and out in the database's binary format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ragate.errors import StorageError
from ragate.stores import BEGUN, MANIFEST, OUTPUTS, REPORT, RUN_FILES, SCORES
from ragate.stores.listed_run import LISTING
from ragate.stores.spent_calls import SPENT
from ragate.support.foreign_files import open_file

if TYPE_CHECKING:
    import psycopg

MOST_BYTES = 1024 * 1024  # of one part, so that neither side holds a file in memory
SMALL = 16 * 1024 * 1024
FILES: Mapping[str, int] = {
    BEGUN: SMALL,
    LISTING: SMALL,
    SPENT: 256 * 1024 * 1024,
    **RUN_FILES,
}
"""What is kept of a run, with the most bytes of each."""
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
