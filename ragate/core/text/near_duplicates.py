"""Questions that are nearly the same, found without comparing each with each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from ragate.core.text.unicode_forms import normalised

GRAM = 3
BANDS, ROWS = 24, 5  # two texts at 0.8 share a band with a chance of 0.9999, at 0.3 with 0.06
MOST_COMPARED = 200
_SEED = 20_250_101
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class NearDuplicate:
    """Two texts, by their index in the list, and how alike they are from 0 to 1."""

    earlier: int
    later: int
    similarity: float


def grams(text: str) -> frozenset[str]:
    """Return the runs of three characters of a text; case, marks and spaces are levelled."""
    level = normalised("NFKC", text).casefold()
    words = "".join(char if char.isalnum() else " " for char in level).split()
    line = f" {' '.join(words)} "
    return frozenset(line[n : n + GRAM] for n in range(max(len(line) - GRAM + 1, 1)))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the share of grams that both have among those that one of them has."""
    shared = len(left & right)
    total = len(left) + len(right) - shared
    return shared / total if total else 0.0


def near_duplicates(texts: Sequence[str], *, threshold: float) -> list[NearDuplicate]:
    """Return each text that is nearly the same as an earlier one, with that one.

    Texts with different numbers are different questions, however alike the rest is. Candidates come
    from minimum hashes in bands, so that the work grows with the number of texts and not with its
    square; each candidate is then compared exactly. The hashes are fixed: equal texts give equal
    answers.

    Args:
        threshold: Jaccard similarity of the three-character grams, from 0.7 to 1.

    Source:
        Broder, On the resemblance and containment of documents, 1997; Leskovec, Rajaraman and
        Ullman, Mining of massive datasets, chapter 3.
    """
    if len(texts) < 2:
        return []
    sets = [grams(text) for text in texts]
    numbers = [tuple(sorted(_NUMBER.findall(text))) for text in texts]
    buckets: dict[Any, list[int]] = defaultdict(list)
    pairs = []
    for later, bands in enumerate(_bands(sets)):
        keys = [(number, band, numbers[later]) for number, band in enumerate(bands)]
        for earlier in _candidates(keys, buckets):
            similarity = jaccard(sets[later], sets[earlier])
            if similarity >= threshold - 1e-9:
                pairs.append(NearDuplicate(earlier, later, similarity))
                break
        for key in keys:
            buckets[key].append(later)
    return pairs


def _candidates(keys: Sequence[Any], buckets: dict[Any, list[int]]) -> Iterator[int]:
    """Yield earlier texts that share a band, each once, up to a number that bounds the work."""
    candidates: set[int] = set()
    for key in keys:
        for earlier in buckets.get(key, ())[:MOST_COMPARED]:
            if earlier not in candidates:
                candidates.add(earlier)
                yield earlier
            if len(candidates) == MOST_COMPARED:
                return


def _bands(sets: Sequence[frozenset[str]]) -> Iterator[list[int]]:
    """Yield one list of `BANDS` hashes a set: equal in a band where `ROWS` minima are equal."""
    import numpy as np

    codes = np.array(
        [crc32(gram.encode()) for text_grams in sets for gram in text_grams], dtype=np.uint64
    )
    starts = np.cumsum([0, *(len(text_grams) for text_grams in sets[:-1])])
    draws = np.random.default_rng(_SEED)
    folded = []
    for _ in range(BANDS):
        band = np.zeros(len(sets), dtype=np.uint64)
        for _ in range(ROWS):
            factor, shift = draws.integers(1, 2**63, size=2, dtype=np.uint64)
            hashed = (codes * (factor | np.uint64(1)) + shift) >> np.uint64(20)
            minima = np.minimum.reduceat(hashed, starts)
            band = band * np.uint64(0x9E3779B97F4A7C15) + minima
        folded.append(band)
    for row in np.stack(folded, axis=1):
        yield row.tolist()
