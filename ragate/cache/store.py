"""Looking up and keeping: a batch is one transaction, on the disk when the call returns."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.cache.connection import CacheConnection
from ragate.cache.file import TABLES
from ragate.cache.rows import (
    Draw,
    checked_keys,
    read_draw,
    read_score,
    read_vector,
    score_text,
    vector_bytes,
)
from ragate.models import Score

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
    """The cache of one project: judgements, model answers and embeddings."""

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
        """Keep vectors, as 32-bit floats."""
        checked_keys(vectors)
        rows = [(key, vector_bytes(vector)) for key, vector in vectors.items()]
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
