"""BM25 as an inner product: the term-frequency part of every chunk, and the idf of a question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragate.systems.pgvector.index.terms import DIMENSIONS
from ragate.systems.pgvector.retrieval_settings import Bm25Settings

_I32, _F32 = np.dtype(">i4"), np.dtype(">f4")


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
