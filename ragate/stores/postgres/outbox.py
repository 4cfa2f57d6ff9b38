"""What of a run's folder the store has, and sending the rest; nothing of a run is held in memory.

The mark ``sent.json`` in the folder says it to a later command. It is of one store; where it is
missing or of another, all is sent anew, as another session of the run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import astuple
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import file_bytes
from ragate.stores import BEGUN, MANIFEST, OUTPUTS
from ragate.stores.listed_run import LISTING, UNREADABLE, listing
from ragate.stores.postgres.reading import FILES, GROWING, Piece, copy_in, pieces_of
from ragate.stores.spent_calls import SPENT

if TYPE_CHECKING:
    import psycopg

MARK = "sent.json"
_KEYS = {"store", "session", "sent", "unsure", "ended"}
_BATCH = 8  # parts in one transaction, while the run goes on
_RUN = "INSERT INTO ragate_runs.runs (run_id) VALUES (%s) ON CONFLICT DO NOTHING"
_SESSION = (
    "INSERT INTO ragate_runs.sessions (session, run_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
)
_END = "INSERT INTO ragate_runs.ends (run_id, session, listing, sizes) VALUES (%s, %s, %s, %s)"


class Outbox:
    """One session of a run, as far as the store has it.

    Args:
        folder: The run's, whose name is its id.
        store: Names the store, as `store_key`.

    Attributes:
        moved: When something last went through, by `time.monotonic`.
        ended: The store has the run's end.
        doubted: The answer to an end was lost: an end that is there is this one.
    """

    def __init__(self, folder: Path, store: str) -> None:
        self.folder = folder
        self.session = uuid4()
        self.moved = time.monotonic()
        self.ended = self.doubted = False
        self._store = store
        self._known = False
        self._sent: dict[str, tuple[int, int]] = {}  # parts and bytes, by file
        self._unsure: list[Piece] = []  # the server may have them: its answer did not come

    def begin_anew(self) -> None:
        """Forget what was sent: the store has nothing of it any more."""
        self.session, self._known, self._sent, self._unsure = uuid4(), False, {}, []

    @classmethod
    def of_folder(cls, folder: Path, store: str) -> Outbox:
        """Return what an earlier command left, or a new session."""
        mark, outbox = read_mark(folder, store), cls(folder, store)
        if mark is None or mark["sent"] is None:
            return outbox
        try:
            sent = {file: (int(parts), int(size)) for file, (parts, size) in mark["sent"].items()}
            unsure = [Piece(*each) for each in mark["unsure"]]
        except (ValueError, TypeError, AttributeError):
            return outbox
        outbox._sent, outbox._unsure, outbox._known = sent, unsure, bool(sent)
        if not all(map(outbox._stands, sent)):
            return cls(folder, store)
        outbox.session, outbox.ended = UUID(mark["session"]), bool(mark["ended"])
        return outbox

    def _stands(self, file: str) -> bool:
        path = self.folder / file
        return path.is_file() and path.stat().st_size >= self._sent[file][1]

    def send_growth(
        self, connection: psycopg.Connection[Any], *, most: int | None = _BATCH
    ) -> bool:
        """Send so many parts of what came since, or all; return whether there was something."""
        import psycopg

        batch = self._unsure or self._growth(most)
        if self._known and not batch:
            return False
        self._unsure = batch
        try:
            with connection.transaction():
                self._register(connection)
                copy_in(connection, self.session, self.folder, batch)
        except psycopg.errors.UniqueViolation:
            pass  # it had them, and the answer was lost
        self._note(batch)
        return True

    def _growth(self, most: int | None) -> list[Piece]:
        """Return what came since; what was spent goes with the outputs that it was spent on."""
        came = list(islice(self._left((BEGUN, OUTPUTS)), most))
        return came + list(self._left((SPENT,)))

    def end(self, connection: psycopg.Connection[Any]) -> None:
        """Send all that is left and the run's end, in one transaction.

        Raises:
            psycopg.errors.UniqueViolation: another process ended this run.
        """
        import psycopg

        while self._unsure:
            self.send_growth(connection)
        sent: list[Piece] = []
        try:
            with connection.transaction():
                self._register(connection)
                copy_in(connection, self.session, self.folder, self._listening(sent))
                sizes = {file: size for file, (_, size) in self._after(sent).items()}
                row = (self.folder.name, self.session, self._listing(), json.dumps(sizes))
                connection.execute(_END, row)
        except psycopg.errors.UniqueViolation:
            if not self.doubted:
                raise
        self._note(sent)
        self.ended = True

    def _register(self, connection: psycopg.Connection[Any]) -> None:
        if not self._known:
            connection.execute(_RUN, (self.folder.name,))
            connection.execute(_SESSION, (self.session, self.folder.name))

    def _left(self, files: tuple[str, ...]) -> Iterator[Piece]:
        grows = [file for file in files if file in GROWING or file not in self._sent]
        return chain.from_iterable(
            pieces_of(self.folder, file, part=parts, offset=size)
            for file in grows
            for parts, size in [self._sent.get(file, (0, 0))]
        )

    def _listening(self, sent: list[Piece]) -> Iterator[Piece]:
        """Yield every part that is left, and note each as it goes."""
        for piece in self._left(tuple(FILES)):
            yield piece
            sent.append(piece)
            self.moved = time.monotonic()

    def _after(self, pieces: list[Piece]) -> dict[str, tuple[int, int]]:
        ends = {piece.file: (piece.part + 1, piece.offset + piece.size) for piece in pieces}
        return self._sent | ends

    def _note(self, pieces: list[Piece]) -> None:
        self._sent = self._after(pieces)
        self._known, self._unsure, self.moved = True, [], time.monotonic()

    def _listing(self) -> bytes | None:
        """Return what a list shows; None of a `collect`, which ends without a manifest."""
        path = self.folder / MANIFEST
        if not path.is_file():
            return None
        try:
            return file_bytes(self.folder / LISTING)
        except FileNotFoundError:  # a run of before has none
            text = file_bytes(path)
            return listing(self.folder, json.loads(text), text)

    def mark(self, *, whole: bool = True) -> None:
        """Write the mark. Without `whole` it says the session alone: nobody knows what arrived."""
        mark = {
            "store": self._store,
            "session": str(self.session),
            "sent": self._sent if whole else None,
            "unsure": [astuple(piece) for piece in self._unsure],
            "ended": self.ended,
        }
        write_atomic(self.folder / MARK, json.dumps(mark).encode() + b"\n")


def read_mark(folder: Path, store: str) -> dict[str, Any] | None:
    """Return the mark of a folder, None where there is none of this store."""
    try:
        mark = json.loads(file_bytes(folder / MARK))
        if mark["store"] != store or mark.keys() != _KEYS:
            return None
        UUID(mark["session"])
    except UNREADABLE:
        return None
    return mark if isinstance(mark, dict) else None
