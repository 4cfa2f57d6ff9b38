"""Rankings of documents: chunks collapsed to documents, hits, and gains."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2

from ragate.models import RetrievedChunk


def ranked_doc_ids(chunks: Iterable[RetrievedChunk]) -> list[str]:
    """Return each document once, in the order of its best chunk; ties keep the given order."""
    return list(dict.fromkeys(chunk.doc_id for chunk in chunks))


def hits(ranking: Sequence[str], expected: Collection[str], k: int | None = None) -> list[int]:
    """Return the 1-based ranks of the expected documents among the first `k`, ascending.

    An id matches only the very same text; another spelling of it counts as another document, and is
    told by `ragate.core.doc_ids`.
    """
    return [rank for rank, doc_id in enumerate(ranking[:k], start=1) if doc_id in expected]


def linear_gain(grade: int) -> float:
    """Return the grade itself; a negative grade gains nothing."""
    return float(max(grade, 0))


def exponential_gain(grade: int) -> float:
    """Return 2^grade - 1; a negative grade gains nothing."""
    return float(2 ** max(grade, 0) - 1)


def dcg(gains: Iterable[float]) -> float:
    """Return the sum of gain / log2(rank + 1) over gains in rank order."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ideal_dcg(gains: Iterable[float], k: int) -> float:
    """Return the largest `dcg` that any ranking of `k` documents with these gains can have."""
    return dcg(sorted(gains, reverse=True)[:k])


def gains_of(ranking: Iterable[str], gain: Mapping[str, float]) -> list[float]:
    """Return the gain of each document in rank order, 0 for an unjudged one."""
    return [gain.get(doc_id, 0.0) for doc_id in ranking]
