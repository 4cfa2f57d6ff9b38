"""Sending a run to the store: while it goes on, beside it and never in its way; or afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import psycopg

from ragate.errors import RagateError, StorageError, UsageError
from ragate.stores import MANIFEST
from ragate.stores.begun_run import alone, read_begun
from ragate.stores.postgres.connect import connect, connected, store_key, taken_alone, told
from ragate.stores.postgres.interrupted import is_newest
from ragate.stores.postgres.outbox import Outbox, read_mark
from ragate.stores.postgres.reading import role_of, rows_of

TICK_S = 0.5
PATIENCE_S, HURRY_S = 30.0, 5.0  # without anything that goes through: at the end, after Ctrl-C
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 30.0
_FAILURES = (psycopg.Error, RagateError, OSError)


@contextmanager
def sending(url: str, folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Send what a run writes into its folder, until the end; a store that goes costs no run.

    Where what runs inside fails, what the store lacks is said; else `send_end` says it.

    Raises:
        DatabaseError: the store cannot be reached now.
        UsageError: another process, on whatever machine, is at this run.
    """
    sender = _Sender(url, folder)
    try:
        yield
    except BaseException:
        if not sender.close(HURRY_S):
            say(lacking(folder.name, sender.problem))
        raise
    sender.close(PATIENCE_S)


def send_end(url: str, folder: Path, say: Callable[[str], None]) -> bool:
    """Send the rest of a run that ended; return False, and say why, where the store lacks it."""
    outbox = Outbox.of_folder(folder, store_key(url))
    problems = [f"it did not answer within {PATIENCE_S:g} s"]

    def work() -> None:
        try:
            _end(url, outbox)
            problems.clear()
        except _FAILURES as error:
            problems[:] = [_words(error, url)]

    thread = threading.Thread(target=work, name="ragate-runs-end", daemon=True)
    thread.start()
    _patiently(thread, outbox, PATIENCE_S)
    if problems:
        say(lacking(folder.name, problems[0]))
        return False
    _mark(outbox)
    return True


def _end(url: str, outbox: Outbox) -> None:
    """Send the end; where its answer was lost, or the run was removed there, once more."""
    try:
        _end_once(url, outbox)
    except psycopg.errors.ForeignKeyViolation:
        outbox.begin_anew()
        _end_once(url, outbox)
    except psycopg.OperationalError:
        outbox.doubted = True
        _end_once(url, outbox)


def _end_once(url: str, outbox: Outbox) -> None:
    with connect(url) as connection:
        outbox.end(connection)


def lacking(run_id: str, problem: str) -> str:
    """Return the warning that the store lacks a run, or a part of it."""
    return (
        f"warning: the run store lacks the run {run_id}, or a part of it: {problem}\n"
        f"  -> it is whole in the state folder; `ragate runs push {run_id}` sends it"
    )


def _words(error: BaseException, url: str) -> str:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return "another process has ended this run there"
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return "it was removed there while it ran"
    if isinstance(error, psycopg.Error):
        return told(error, url).message
    return error.message if isinstance(error, RagateError) else str(error)


def _patiently(thread: threading.Thread, outbox: Outbox, seconds: float) -> bool:
    """Wait for a thread as long as something goes through; return whether it ended."""
    outbox.moved = time.monotonic()
    while thread.is_alive() and time.monotonic() - outbox.moved < seconds:
        thread.join(0.1)
    return not thread.is_alive()


def _mark(outbox: Outbox, *, whole: bool = True) -> None:
    """Note what was sent; where the disk is full, a later push sends it all once more."""
    with suppress(StorageError):
        outbox.mark(whole=whole)


class _Sender:
    """A thread that sends what came, each half second."""

    def __init__(self, url: str, folder: Path) -> None:
        self.problem = ""
        self._url = url
        self._outbox = Outbox(folder, store_key(url))
        self._connection: psycopg.Connection[Any] | None = self._begun()
        self._stop = threading.Event()
        self._pause, self._again = _FIRST_PAUSE_S, 0.0
        self._outbox.mark(whole=False)
        self._thread = threading.Thread(target=self._work, name="ragate-runs", daemon=True)
        self._thread.start()

    def _begun(self) -> psycopg.Connection[Any]:
        """Send what is there in one transaction: a run that goes on is whole in its new session."""
        connection = self._connect()
        try:
            self._outbox.send_growth(connection, most=None)
        except BaseException as error:
            connection.close()
            if isinstance(error, psycopg.Error):
                raise told(error, self._url) from error
            raise
        return connection

    def close(self, seconds: float) -> bool:
        """Send the rest and end; return False where something was not sent."""
        self._stop.set()
        ended = _patiently(self._thread, self._outbox, seconds)
        if not ended:
            self.problem = f"it did not answer within {seconds:g} s"
        _mark(self._outbox, whole=ended)
        return ended and not self.problem

    def _connect(self) -> psycopg.Connection[Any]:
        connection = connect(self._url)
        if taken_alone(connection, self._outbox.folder.name):
            return connection
        connection.close()
        raise UsageError(
            f"the run {self._outbox.folder.name} is under way in another process, the store says",
            remedy="wait for it, or end its process first",
        )

    def _work(self) -> None:
        while not self._stop.wait(TICK_S):
            if time.monotonic() >= self._again:
                self._send()
        self._send()
        self._drop()

    def _send(self) -> None:
        try:
            if self._connection is None:
                self._connection = self._connect()
            while self._outbox.send_growth(self._connection):
                pass
            self.problem, self._pause = "", _FIRST_PAUSE_S
        except _FAILURES as error:
            self.problem = _words(error, self._url)
            self._drop()
            self._again = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_S)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()


def has_ended(folder: Path) -> bool:
    """Return whether a run came to its end: with a manifest, or as a `collect`."""
    if (folder / MANIFEST).is_file():
        return True
    try:
        return read_begun(folder).ended
    except StorageError:
        return False


def is_sent(url: str, folder: Path) -> bool:
    """Return whether the run was sent to this store with its end, its folder says."""
    mark = read_mark(folder, store_key(url))
    return mark is not None and bool(mark["ended"])


def push(url: str, folder: Path) -> bool:
    """Send a run, as far as it came; return False where the store had its end already.

    Raises:
        UsageError: it is under way, or went on elsewhere.
        DatabaseError: the store cannot be reached, or the role may not.
        StorageError: a file cannot be read.
    """
    if is_sent(url, folder):
        return False
    outbox, ended = Outbox.of_folder(folder, store_key(url)), has_ended(folder)
    with nullcontext() if ended else alone(folder), connected(url) as connection:
        if not taken_alone(connection, folder.name):
            raise UsageError(f"the run {folder.name} is still under way", remedy="wait for it")
        if ended:
            fresh = _end_pushed(connection, outbox)
        else:
            _refuse_older(connection, url, folder)
            while outbox.send_growth(connection):
                pass
            fresh = True
    outbox.mark()
    return fresh


def _end_pushed(connection: psycopg.Connection[Any], outbox: Outbox) -> bool:
    try:
        outbox.end(connection)
    except psycopg.errors.ForeignKeyViolation:  # what was sent before was removed there
        outbox.begin_anew()
        outbox.end(connection)
    except psycopg.errors.UniqueViolation:
        outbox.ended = True
        return False
    return True


def _refuse_older(connection: psycopg.Connection[Any], url: str, folder: Path) -> None:
    """Raise where the store has more of an unfinished run than the folder."""
    try:
        rows, role = rows_of(connection, folder.name), role_of(connection)
    except psycopg.errors.InsufficientPrivilege:
        return  # who only writes cannot know, and cannot resume either
    own = next((row for row in rows if row.writer == role), None)
    if own is not None and not is_newest(connection, own, folder, store_key(url)):
        raise UsageError(
            f"the run {folder.name} went on elsewhere: the run store has more of it",
            remedy="`ragate runs list` shows it",
        )
