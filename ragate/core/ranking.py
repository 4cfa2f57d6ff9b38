"""Rankings of documents: collapsing chunks, gains, and how far two rankings differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2

from ragate.models import RetrievedChunk


def ranked_doc_ids(chunks: Iterable[RetrievedChunk]) -> list[str]:
    """Return each document once, in the order of its best chunk; ties keep the given order."""
    return list(dict.fromkeys(chunk.doc_id for chunk in chunks))


def ranks_of(expected: Iterable[str], chunks: Iterable[RetrievedChunk]) -> dict[str, int | None]:
    """Return the 1-based rank of each expected document, None where it was not retrieved."""
    ranks = {doc_id: rank for rank, doc_id in enumerate(ranked_doc_ids(chunks), start=1)}
    return {doc_id: ranks.get(doc_id) for doc_id in sorted(expected)}


def hits(ranking: Sequence[str], expected: Collection[str], k: int | None = None) -> list[int]:
    """Return the 1-based ranks of the expected documents among the first `k`, ascending."""
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


def jaccard(first: Sequence[str], second: Sequence[str], k: int | None = None) -> float:
    """Return the shared part of the two top-k sets, in [0, 1]; two empty ones are equal."""
    one, other = set(first[:k]), set(second[:k])
    union = one | other
    return len(one & other) / len(union) if union else 1.0


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], *, p: float = 0.9) -> float:
    """Return the extrapolated rank-biased overlap of two rankings without duplicates.

    Agreement at the top counts most: depth d weighs p^(d-1). Beyond the ends, the overlap seen so
    far is taken to go on, so equal rankings score 1 at any length.

    Args:
        p: Persistence in (0, 1); with 0.9 the first ten ranks carry 86 % of the weight.

    Returns:
        A fraction in [0, 1]; 1 for two empty rankings, 0 where one is empty.

    Source:
        Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS 2010, eq. 32.
    """
    shorter, longer = sorted((first, second), key=len)
    if not shorter:
        return 0.0 if longer else 1.0
    overlaps = _overlaps(shorter, longer)
    size, length = len(shorter), len(longer)
    at_size, at_end = overlaps[size - 1], overlaps[-1]
    total = 0.0
    for depth, overlap in enumerate(overlaps, start=1):
        extrapolated = at_size * max(depth - size, 0) / (size * depth)
        total += (overlap / depth + extrapolated) * p**depth
    tail = ((at_end - at_size) / length + at_size / size) * p**length
    return min(total * (1 - p) / p + tail, 1.0)


def _overlaps(shorter: Sequence[str], longer: Sequence[str]) -> list[int]:
    """Return, for each depth of the longer ranking, how many documents both have shown."""
    seen: set[str] = set()
    shared = 0
    overlaps = []
    for depth, doc_id in enumerate(longer):
        for shown in (doc_id, *shorter[depth : depth + 1]):
            shared += shown in seen
            seen.add(shown)
        overlaps.append(shared)
    return overlaps
