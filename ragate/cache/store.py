"""Looking up and keeping rows: a batch is one transaction, on the disk when the call returns."""

import contextlib
import json
import math
import re
import sqlite3
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import Field, ValidationError

from ragate.cache.file import (
    LONGEST_VALUE,
    TABLES,
    Doubt,
    failed,
    is_damage,
    open_database,
    readable_errors,
)
from ragate.cache.turns import AskingTurns
from ragate.models import Frozen, Score, ScoreState
from ragate.models.score import Detail

# The connection to the cache's file: opened on first use, and replaced where it is broken.

T = TypeVar("T")
_CHUNK = 500  # keys in one query
KEY = re.compile(r"[0-9a-f]{16,64}")
_MAX_TEXT = 4 * 1024**2
_MAX_DIMENSION = 16_000


class Draw(Frozen):
    """One answer of a model to a request, with what it cost when it was made."""

    text: str = Field(min_length=1, max_length=_MAX_TEXT)
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    finish_reason: str = ""


class Judgement(Frozen):
    """A judge's score on one criterion; `value` is None where it does not apply."""

    value: float | None
    reason: str = ""
    details: dict[str, Detail] | None = None


def kept_draw(text: str, **told: Any) -> Draw | None:
    """Return what is kept of a reply, None where it cannot be: it is empty, too long or no text.

    Such a reply counts all the same; it is only not remembered.
    """
    try:
        return Draw(text=text, **told)
    except ValidationError:
        return None


def read_draw(text: object) -> Draw | None:
    """Return the draw, None where the text is none."""
    try:
        return Draw.model_validate_json(text, strict=True) if isinstance(text, str) else None
    except ValidationError:
        return None


def score_text(score: Score) -> str | None:
    """Return a score as text, None for one that was not measured: such are never kept."""
    if score.state is ScoreState.UNSCORED:
        return None
    told = {"details": score.details} if score.details else {}
    return json.dumps({"value": score.value, "reason": score.reason, **told})


def read_score(criterion: str, text: object) -> Score | None:
    """Return the score, None where the text is none."""
    try:
        row = Judgement.model_validate_json(text, strict=True) if isinstance(text, str) else None
    except ValidationError:
        return None
    if row is None or (row.value is not None and not math.isfinite(row.value)):
        return None
    state = ScoreState.NOT_APPLICABLE if row.value is None else ScoreState.VALUE
    return Score(criterion, row.value, state, row.reason, row.details)


def vector_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as 32-bit floats, little-endian; nothing where one is too large for that."""
    try:
        return struct.pack(f"<{len(vector)}f", *vector)
    except OverflowError:
        return b""


def read_vector(content: object) -> list[float] | None:
    """Return the vector, None where the bytes are no finite numbers."""
    if not isinstance(content, bytes) or not 4 <= len(content) <= 4 * _MAX_DIMENSION:
        return None
    if len(content) % 4:
        return None
    vector = list(struct.unpack(f"<{len(content) // 4}f", content))
    return vector if all(map(math.isfinite, vector)) else None


def checked_keys(keys: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Return the keys, all of them digests.

    Raises:
        ValueError: one is not: a caller's mistake.
    """
    wrong = [key for key in keys if not KEY.fullmatch(key)]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no digest")
    return list(keys)


class CacheConnection:
    """One SQLite file; safe for several processes and threads.

    A file that turns out to be broken is moved aside with a note, and the work goes on with a new
    one: what the cache loses is asked for again.

    Args:
        path: The file, such as ``.ragate/cache.sqlite``; made on first use.
        say: Prints one line.
    """

    def __init__(self, path: Path, *, say: Callable[[str], None] = lambda _line: None) -> None:
        self.path = path
        self._say = say
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Every write is on the disk already: who forgets to close loses nothing.
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table in the order of their keys; as they are, unread.

        Raises:
            StorageError: the file is damaged; the next use of the cache moves it aside.
        """
        query = f"SELECT * FROM {table} ORDER BY 1, 2"  # noqa: S608 - a name of ours
        try:
            with self._lock, readable_errors():
                yield from self._opened().execute(query)
        except sqlite3.Error as error:
            raise failed(self.path, error) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is put inside, or none of it."""
        with self._lock:
            self._run(lambda database: database.execute("BEGIN IMMEDIATE"))
            database = self._opened()
            try:
                yield
            except BaseException:
                _roll_back(database)
                raise
            self._run(lambda database: database.execute("COMMIT"))

    def _select(self, query: str, keys: Sequence[str]) -> list[tuple[Any, ...]]:
        def select(database: sqlite3.Connection) -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = []
            for start in range(0, len(keys), _CHUNK):
                batch = keys[start : start + _CHUNK]
                marks = ", ".join("?" * len(batch))
                rows += database.execute(query.format(marks), batch).fetchall()
            return rows

        return self._run(select)

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        # SQLite takes a value beyond its bound for damage of the file.
        rows = [row for row in rows if all(map(_fits, row))]
        if rows:
            self._run(lambda database: _write(database, statement, rows))

    def _run(self, use: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `use` returns; a file that is found broken is replaced on the way."""
        with self._lock:
            for doubt in Doubt:
                database = self._opened(doubt)
                try:
                    with readable_errors():
                        return use(database)
                except sqlite3.Error as error:
                    if database.in_transaction or not is_damage(error) or doubt is Doubt.FULL:
                        raise failed(self.path, error) from error
                self.close()
        raise AssertionError("the last doubt returns or raises")

    def _opened(self, doubt: Doubt = Doubt.NONE) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_database(self.path, say=self._say, doubt=doubt)
        return self._connection


def _fits(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return 4 * len(value) < LONGEST_VALUE or len(value.encode("utf-8", "replace")) < LONGEST_VALUE


def _write(database: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if database.in_transaction:
        database.executemany(statement, rows)
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        database.executemany(statement, rows)
        database.execute("COMMIT")
    except BaseException:
        _roll_back(database)
        raise


def _roll_back(database: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):  # some errors have rolled back already
        database.execute("ROLLBACK")


CACHE_NAME = "cache.sqlite"
STEPS = "judge"  # session of the replies on the way to a judgement
DrawKey = tuple[str, str, int]  # session, key, draw


@dataclass(frozen=True)
class CacheInfo:
    """What a cache holds: rows by table, and bytes on the disk."""

    path: Path
    rows: Mapping[str, int]
    size: int


class Cache(CacheConnection):
    """The cache of one project: judgements, model answers and embeddings.

    Attributes:
        turns: Whose turn it is to ask for what is not there.
    """

    def __init__(self, path: Path, *, say: Callable[[str], None] = lambda _line: None) -> None:
        super().__init__(path, say=say)
        self.turns = AskingTurns(path.with_name(f"{path.name}.turns"), say=say)

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        super().close()
        self.turns.close()

    def judgements(self, keys: Sequence[str]) -> dict[str, dict[str, Score]]:
        """Return the scores by key and criterion; a key without any is left out."""
        scores: dict[str, dict[str, Score]] = {}
        query = "SELECT key, criterion, score FROM verdicts WHERE key IN ({})"
        for key, criterion, text in self._select(query, checked_keys(keys)):
            score = read_score(str(criterion), text)
            if score is not None:
                scores.setdefault(key, {})[score.metric] = score
        return scores

    def put_judgements(self, scores: Mapping[str, Mapping[str, Score]]) -> None:
        """Keep scores by key and criterion, but for unscored ones; the latest stays."""
        checked_keys(scores)
        rows = [
            (key, criterion, text)
            for key, by_criterion in scores.items()
            for criterion, score in by_criterion.items()
            if (text := score_text(score)) is not None
        ]
        self._write("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)

    def draw(self, session: str, key: str, draw: int) -> Draw | None:
        """Return one stored answer, None where there is none."""
        checked_keys([key])
        query = "SELECT reply FROM draws WHERE session = ? AND key = ? AND draw = ?"
        rows = self._run(lambda database: database.execute(query, (session, key, draw)).fetchall())
        return read_draw(rows[0][0]) if rows else None

    def put_draws(self, draws: Mapping[DrawKey, Draw]) -> None:
        """Keep answers by session, request and number; the latest stays."""
        checked_keys([key for _, key, _ in draws])
        rows = [(*key, draw.model_dump_json(exclude_defaults=True)) for key, draw in draws.items()]
        self._write("INSERT OR REPLACE INTO draws VALUES (?, ?, ?, ?)", rows)

    def embeddings(self, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors by key."""
        query = "SELECT key, vector FROM embeddings WHERE key IN ({})"
        rows = self._select(query, checked_keys(keys))
        vectors = {key: read_vector(content) for key, content in rows}
        return {key: vector for key, vector in vectors.items() if vector is not None}

    def put_embeddings(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep vectors, as 32-bit floats; one that these cannot hold is left out."""
        checked_keys(vectors)
        packed = ((key, vector_bytes(vector)) for key, vector in vectors.items())
        rows = [(key, content) for key, content in packed if read_vector(content) is not None]
        self._write("INSERT OR REPLACE INTO embeddings VALUES (?, ?)", rows)

    def info(self) -> CacheInfo:
        """Count what is there; a file that does not exist is not made."""
        if not self.path.exists():
            return CacheInfo(self.path, dict.fromkeys(TABLES, 0), 0)

        def count(database: sqlite3.Connection) -> dict[str, int]:
            query = "SELECT count(*) FROM "
            return {table: database.execute(query + table).fetchone()[0] for table in TABLES}

        rows = self._run(count)
        files = [self.path, self.path.with_name(f"{self.path.name}-wal")]
        return CacheInfo(self.path, rows, sum(f.stat().st_size for f in files if f.exists()))

    def clear(self, tables: Iterable[str] = tuple(TABLES)) -> None:
        """Forget everything, or the named tables; with judgements go the replies they came from."""
        chosen = list(tables)

        def forget(database: sqlite3.Connection) -> None:
            for table in chosen:
                database.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
            if "verdicts" in chosen:
                database.execute("DELETE FROM draws WHERE session = ?", (STEPS,))
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        self._run(forget)
