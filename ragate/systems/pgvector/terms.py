"""Words to the dimensions of a sparse vector."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragate.core.text.languages import grammar_of
from ragate.core.text.words import tokens
from ragate.systems.pgvector.settings import Bm25Settings

_I32, _F32 = np.dtype(">i4"), np.dtype(">f4")
DIMENSIONS = 1_000_000_000  # the most that sparsevec takes; 50,000 words share about one place
MAX_NONZERO = 16_000  # the most that one sparsevec holds

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has
have having he her here hers him his how i if in into is it its just me more most my no nor
not of off on once only or other our out over own s same she should so some such t than that
the their them then there these they this those through to too under until up very was we
were what when where which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_ENGLISH.split())


class Analyzer:
    """Turns a text into counted terms; the same for documents and questions."""

    def __init__(self, settings: Bm25Settings) -> None:
        grammar = grammar_of(settings.stemmer) if settings.stop_words == "grammar" else frozenset()
        self._stop = STOP_WORDS if settings.stop_words == "english" else grammar
        self._stem = _stemmer(settings.stemmer)
        self._known: dict[str, int | None] = {}

    def dimensions(self, text: str) -> list[int]:
        """Return the dimension of each word that is no stop word, in order, with repeats."""
        by_word = self._known
        words = tokens(text)
        for word in words:
            if word not in by_word:
                by_word[word] = None if word in self._stop else dimension(self._stem(word))
        return [number for number in map(by_word.__getitem__, words) if number is not None]

    def counts(self, text: str) -> dict[int, int]:
        """Return how often each dimension occurs, in rising order of dimension."""
        counted = Counter(self.dimensions(text))
        if len(counted) > MAX_NONZERO:
            counted = Counter(dict(counted.most_common(MAX_NONZERO)))
        return dict(sorted(counted.items()))


def dimension(term: str) -> int:
    """Return the dimension of a term, 0-based; the same in every process and on every machine."""
    hashed = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "big") % DIMENSIONS


def _stemmer(language: str):  # type: ignore[no-untyped-def]
    if language == "none":
        return lambda word: word
    import Stemmer

    return Stemmer.Stemmer(language).stemWord


# BM25 as an inner product: the term-frequency part of every chunk, and the idf of a question.


@dataclass(frozen=True)
class Counted:
    """The counted terms of one chunk: dimensions in rising order, and how often each occurs."""

    doc_id: str
    position: int
    dimensions: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]

    @property
    def length(self) -> int:
        return int(self.counts.sum())

    def to_bytes(self) -> bytes:
        return np.concatenate([self.dimensions, self.counts]).astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, doc_id: str, position: int, data: bytes) -> Counted:
        rows = np.frombuffer(data, dtype="<i4").astype(np.int32).reshape(2, -1)
        return cls(doc_id, position, rows[0], rows[1])

    @classmethod
    def from_counts(cls, doc_id: str, position: int, counts: Mapping[int, int]) -> Counted:
        size = len(counts)
        keys = np.fromiter(counts.keys(), dtype=np.int32, count=size)
        return cls(doc_id, position, keys, np.fromiter(counts.values(), np.int32, size))


def document_frequencies(chunks: Sequence[Counted]) -> list[tuple[int, int]]:
    """Return (dimension, number of chunks that hold it)."""
    if not chunks:
        return []
    keys, counts = np.unique(
        np.concatenate([chunk.dimensions for chunk in chunks]), return_counts=True
    )
    return list(zip(keys.tolist(), counts.tolist(), strict=True))


def weigh(chunks: Iterable[Counted], settings: Bm25Settings, average: float) -> Iterator[bytes]:
    """Yield each chunk's term-frequency part as a sparsevec in Postgres' binary form.

    It is tf (k1 + 1) / (tf + k1 (1 - b + b length / average)). The average is that of the whole
    index, exactly: an index that grew has the same weights as one that was built at once.
    """
    k1, b = settings.k1, settings.b
    for chunk in chunks:
        tf = chunk.counts.astype(np.float64)
        norm = k1 * (1 - b + b * chunk.length / average) if average else k1
        yield sparse_bytes(chunk.dimensions, tf * (k1 + 1) / (tf + norm))


def sparse_bytes(dimensions: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> bytes:
    """Return a sparsevec in Postgres' binary form: size, number of entries, entries."""
    head = np.array([DIMENSIONS, len(dimensions), 0], dtype=_I32)
    return head.tobytes() + dimensions.astype(_I32).tobytes() + values.astype(_F32).tobytes()


def idf(frequency: int, chunks: int) -> float:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)), which is positive for every df.

    Source:
        Lucene's BM25Similarity.
    """
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))
