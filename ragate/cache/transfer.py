"""Export and import: JSON Lines, one row a line, read strictly."""

import base64
import binascii
import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from ragate.cache.store import KEY, Cache, Draw, DrawKey, read_draw, read_score, read_vector
from ragate.errors import UsageError
from ragate.files.atomic_files import write_lines
from ragate.files.strict_json import read_lines, whole
from ragate.models import Score

FORMAT_VERSION = 1
MAX_BYTES = 4 * 1024**3
_BATCH = 1000


def export_cache(cache: Cache, path: Path) -> int:
    """Write every sound row to `path`; return how many: none where there is no cache yet.

    Raises:
        StorageError: the file cannot be written.
    """
    with closing(_lines(cache)) as lines:  # a file that cannot be written leaves it in the middle
        return write_lines(path, lines) - 1


def import_cache(cache: Cache, path: Path) -> int:
    """Add the rows of `path`, all or none; return how many.

    Raises:
        UsageError: it is no export of a cache; names the line.
        StorageError: the cache cannot be written.
    """
    count = 0
    lines = read_lines(path, error=UsageError, max_bytes=MAX_BYTES)
    header = next(lines, None)
    if header is None or header[1] != _HEADER:
        raise UsageError(
            f"{path}: not an export of this version", remedy="write one with `ragate cache export`"
        )
    with cache.transaction():
        batch = _Batch(cache)
        for number, row in lines:
            batch.add(row, where=f"{path}:{number}")
            count += 1
            if count % _BATCH == 0:
                batch.put()
        batch.put()
    return count


_HEADER = {"ragate_cache": FORMAT_VERSION}


def _lines(cache: Cache) -> Generator[str, None, None]:
    yield json.dumps(_HEADER)
    if not cache.path.exists():  # nothing was asked yet; reading would make one
        return
    for key, criterion, text in cache.rows("verdicts"):
        if KEY.fullmatch(str(key)) and read_score(str(criterion), text) is not None:
            yield _line({"verdict": key, "criterion": criterion, "score": json.loads(text)})
    for session, key, draw, text in cache.rows("draws"):
        if KEY.fullmatch(str(key)) and read_draw(text) is not None:
            head = {"draw": key, "session": session, "number": draw}
            yield _line({**head, "reply": json.loads(text)})
    for key, content in cache.rows("embeddings"):
        if KEY.fullmatch(str(key)) and read_vector(content) is not None:
            yield _line({"embedding": key, "vector": base64.b64encode(content).decode()})


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


class _Batch:
    """Rows that were read and not yet put."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._judgements: dict[str, dict[str, Score]] = {}
        self._draws: dict[DrawKey, Draw] = {}
        self._vectors: dict[str, list[float]] = {}

    def add(self, row: Any, *, where: str) -> None:
        fields = set(row) if isinstance(row, dict) else set()
        if fields == {"verdict", "criterion", "score"}:
            self._add_judgement(row, where)
        elif fields == {"draw", "session", "number", "reply"}:
            self._add_draw(row, where)
        elif fields == {"embedding", "vector"}:
            self._add_vector(row, where)
        else:
            raise _wrong(where, "is no verdict, draw or embedding")

    def put(self) -> None:
        self._cache.put_judgements(self._judgements)
        self._cache.put_draws(self._draws)
        self._cache.put_embeddings(self._vectors)
        self._judgements, self._draws, self._vectors = {}, {}, {}

    def _add_judgement(self, row: dict[str, Any], where: str) -> None:
        criterion = row["criterion"]
        if not isinstance(criterion, str) or not criterion:
            raise _wrong(where, "criterion must be a name")
        score = read_score(criterion, json.dumps(row["score"]))
        if score is None:
            raise _wrong(where, "score must be a value with its reason")
        self._judgements.setdefault(_key(row["verdict"], where), {})[criterion] = score

    def _add_draw(self, row: dict[str, Any], where: str) -> None:
        session, number = row["session"], whole(row["number"], most=10**6 - 1)
        if not isinstance(session, str) or number is None:
            raise _wrong(where, "session must be text, and number a count")
        draw = read_draw(json.dumps(row["reply"]))
        if draw is None:
            raise _wrong(where, "reply must be an answer's text with its tokens")
        self._draws[session, _key(row["draw"], where), number] = draw

    def _add_vector(self, row: dict[str, Any], where: str) -> None:
        try:
            content = base64.b64decode(row["vector"], validate=True)
        except (binascii.Error, TypeError, ValueError) as error:
            raise _wrong(where, "vector must be base64") from error
        vector = read_vector(content)
        if vector is None:
            raise _wrong(where, "vector must be finite 32-bit numbers")
        self._vectors[_key(row["embedding"], where)] = vector


def _key(value: Any, where: str) -> str:
    if not isinstance(value, str) or not KEY.fullmatch(value):
        raise _wrong(where, "a key must be a digest in hexadecimal")
    return value


def _wrong(where: str, text: str) -> UsageError:
    return UsageError(f"{where}: {text}", remedy="nothing was imported; export the cache anew")
