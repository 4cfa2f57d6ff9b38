"""Sending a run to the store while it goes on, beside it and never in its way; or with the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from ragate.errors import RagateError, StorageError, UsageError
from ragate.stores import MANIFEST
from ragate.stores.begun_run import read_begun
from ragate.stores.postgres.connect import connect, store_key, taken_alone, told
from ragate.stores.postgres.outbox import Outbox, read_mark

TICK_S = 0.5
_LOOKED_AT = 200  # runs, the newest
MOST_LATE = 5  # earlier runs that one run sends beside its own
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
    problem = _problem(url, outbox)
    if problem:
        say(lacking(folder.name, problem))
        return False
    _mark(outbox)
    return True


def send_late(url: str, runs: Path, say: Callable[[str], None]) -> None:
    """Send what the store did not get of earlier runs, the newest first.

    A run that no command began to send, such as the check of a fork, is not meant for the store.
    """
    store = store_key(url)
    for folder in islice(_late(runs, store), MOST_LATE):
        outbox = Outbox.of_folder(folder, store)
        outbox.doubted = True  # an end that is there is its own
        if problem := _problem(url, outbox):
            say(lacking(folder.name, problem))
            return
        _mark(outbox)
        say(f"the run store has got the run {folder.name} of before")


def _late(runs: Path, store: str) -> Iterator[Path]:
    """Yield the folders of runs that ended, whose sending was begun and did not come to its end."""
    for folder in sorted(runs.iterdir(), reverse=True)[:_LOOKED_AT]:
        mark = read_mark(folder, store)
        if mark is not None and not mark["ended"] and has_ended(folder):
            yield folder


def _problem(url: str, outbox: Outbox) -> str:
    """Send the rest of a run and its end; return why it did not go through, "" where it did."""
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
    return problems[0] if problems else ""


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
        "  -> it is whole in the state folder; the next run sends it as well"
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
    """Note what was sent; where the disk is full, a later run sends it all once more."""
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
