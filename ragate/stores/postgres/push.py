"""Sending a run of the state folder to the store afterwards, whole or as far as it came."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psycopg

from ragate.errors import StorageError, UsageError
from ragate.stores import MANIFEST
from ragate.stores.begun_run import alone, read_begun
from ragate.stores.postgres.connect import connected, store_key, taken_alone
from ragate.stores.postgres.interrupted import is_newest
from ragate.stores.postgres.outbox import Outbox, read_mark
from ragate.stores.postgres.reading import role_of, rows_of


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
            fresh = _end(connection, outbox)
        else:
            _refuse_older(connection, url, folder)
            while outbox.send_growth(connection):
                pass
            fresh = True
    outbox.mark()
    return fresh


def _end(connection: psycopg.Connection[Any], outbox: Outbox) -> bool:
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
