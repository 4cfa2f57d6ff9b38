"""The SQLite file: opened safely, and replaced when it is not ours or broken.

The file may come from another machine (a CI cache), so what is in it is not trusted: a schema that
is not exactly ours (a trigger would run with our writes) makes it a stranger's. Such a file is
moved aside, never deleted.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from ragate.errors import StorageError

SCHEMA_VERSION = 1
BUSY_S = 30.0
LONGEST_VALUE = 16 * 1024**2
TABLES = {
    "verdicts": (
        "CREATE TABLE verdicts (key TEXT NOT NULL, criterion TEXT NOT NULL, score TEXT NOT NULL, "
        "PRIMARY KEY (key, criterion)) WITHOUT ROWID"
    ),
    "draws": (
        "CREATE TABLE draws (session TEXT NOT NULL, key TEXT NOT NULL, draw INTEGER NOT NULL, "
        "reply TEXT NOT NULL, PRIMARY KEY (session, key, draw)) WITHOUT ROWID"
    ),
    "embeddings": (
        "CREATE TABLE embeddings (key TEXT NOT NULL PRIMARY KEY, vector BLOB NOT NULL) "
        "WITHOUT ROWID"
    ),
}


_DAMAGE = {
    sqlite3.SQLITE_ERROR,  # a table is gone
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_MISMATCH,
}


class Doubt(Enum):
    """How much a file is trusted. SOME: it failed in use. FULL: it failed again."""

    NONE = 0
    SOME = 1
    FULL = 2


class _StrangeError(sqlite3.DatabaseError):
    """The file is a database, but not this one."""


def open_database(
    path: Path, *, say: Callable[[str], None], doubt: Doubt = Doubt.NONE
) -> sqlite3.Connection:
    """Return a connection to a sound file; one that cannot be used is moved aside first.

    Args:
        doubt: SOME: every page is read first. FULL: it is replaced whatever it looks like.

    Raises:
        StorageError: the folder cannot be written, or the file is locked.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _turn(path):
            try:
                _refuse_irregular(path)
                return _connect(path, doubt=doubt)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise failed(path, error) from error
                aside = _move_aside(path)
                say(f"{path}: no usable cache ({error}); now {aside.name}, a new one is made")
            return _connect(path)
    except sqlite3.Error as error:
        raise failed(path, error) from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}", remedy=_REMEDY) from error


_REMEDY = "check the folder's permissions and free space; RAGATE_STATE_DIR names another folder"


@contextmanager
def readable_errors() -> Iterator[None]:
    """Turn what SQLite says of a damaged schema into its own kind of error.

    The message quotes the file, and Python cannot decode one that is not UTF-8.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise _StrangeError("its schema is damaged") from error


def is_damage(error: sqlite3.Error) -> bool:
    """Return True where the file itself is wrong, False for a lock, a full disk and the like."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, _StrangeError) or (code is not None and code & 0xFF in _DAMAGE)


def failed(path: Path, error: sqlite3.Error) -> StorageError:
    """Return the error for a user."""
    if "locked" in str(error):
        remedy = "another process holds it; wait for it to end"
        return StorageError(f"{path}: in use for more than {BUSY_S:g} s", remedy=remedy)
    if is_damage(error):
        remedy = "`ragate cache clear` begins a new one; what it held is asked for again"
        return StorageError(f"{path}: damaged ({error})", remedy=remedy)
    return StorageError(f"{path}: {error}", remedy=_REMEDY)


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """One process opens at a time, so that two do not both replace a broken file.

    Windows has no such lock: there two processes that begin at once can both move it aside.
    """
    with path.with_name(f"{path.name}.lock").open("ab") as lock:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _refuse_irregular(path: Path) -> None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise _StrangeError("not a regular file")


def _connect(path: Path, *, doubt: Doubt = Doubt.NONE) -> sqlite3.Connection:
    # Transactions are begun by hand; a thread commits while the event loop goes on.
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        with readable_errors():
            connection.text_factory = lambda content: content.decode("utf-8", "replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            for pragma in (
                "trusted_schema = OFF",
                "cell_size_check = ON",
                "journal_mode = WAL",
                "synchronous = FULL",  # what was stored is there after a power cut too
            ):
                connection.execute(f"PRAGMA {pragma}")
            _check_schema(connection)
            _check_pages(connection, doubt)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = {
        name: statement
        for name, statement in connection.execute("SELECT name, sql FROM sqlite_master")
        if not str(name).startswith("sqlite_autoindex")  # a damaged row holds bytes
    }
    if version == 0 and not tables:
        connection.execute("BEGIN IMMEDIATE")
        for statement in TABLES.values():
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    elif version != SCHEMA_VERSION:
        raise _StrangeError(f"schema version {version}, this ragate reads {SCHEMA_VERSION}")
    elif tables != TABLES:
        raise _StrangeError("it holds something other than the cache's tables")


def _check_pages(connection: sqlite3.Connection, doubt: Doubt) -> None:
    if doubt is Doubt.NONE:
        return
    if doubt is Doubt.FULL or connection.execute("PRAGMA quick_check").fetchone()[0] != "ok":
        raise _StrangeError("damaged")


def _move_aside(path: Path) -> Path:
    """Rename the file and SQLite's companions of it; return the new name."""
    stamp = f"{path.name}.unusable-{time.time_ns():x}"
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", path.with_name(f"{stamp}{suffix}"))  # noqa: PTH105
    return path.with_name(stamp)
