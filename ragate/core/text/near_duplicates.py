"""Questions that are nearly the same, found without comparing each with each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from ragate.core.text.unicode_forms import normalised

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GRAM = 3
BANDS, ROWS = 24, 5  # two texts at 0.8 share a band with a chance of 0.9999, at 0.3 with 0.06
MOST_COMPARED = 200
_SEED = 20_250_101
_TOGETHER = 1_000  # texts that are hashed at once
_KEPT = 1_000  # texts whose grams are kept
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
    by_numbers: dict[tuple[str, ...], int] = {}
    numbers = [
        by_numbers.setdefault(tuple(sorted(_NUMBER.findall(text))), len(by_numbers))
        for text in texts
    ]
    bands = [_Band.of(column) for column in _bands(texts, numbers).T]
    # Kept for the few that are compared: those of all would take a hundred times the texts.
    known = lru_cache(maxsize=_KEPT)(lambda place: grams(texts[place]))
    pairs = []
    for later in range(len(texts)):
        for earlier in _candidates(later, bands):
            if numbers[earlier] != numbers[later]:
                continue
            similarity = jaccard(known(later), known(earlier))
            if similarity >= threshold - 1e-9:
                pairs.append(NearDuplicate(earlier, later, similarity))
                break
    return pairs


class _Band(NamedTuple):
    """The texts of one band, those with one hash beside each other, in order.

    Attributes:
        texts: Indexes of the texts.
        first: By text, where those of its hash begin in `texts`.
    """

    texts: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]

    @classmethod
    def of(cls, hashes: npt.NDArray[np.uint64]) -> _Band:
        import numpy as np

        order = np.argsort(hashes, kind="stable").astype(np.int32)
        ordered = hashes[order]
        begins = np.concatenate(([True], ordered[1:] != ordered[:-1]))
        starts = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        first = np.empty(len(order), dtype=np.int32)
        first[order] = starts
        return cls(order, first)


def _candidates(later: int, bands: Sequence[_Band]) -> Iterator[int]:
    """Yield earlier texts that share a band, each once, up to a number that bounds the work."""
    candidates: set[int] = set()
    for band in bands:
        start = int(band.first[later])
        if band.texts[start] == later:  # the first of its hash
            continue
        for earlier in band.texts[start : start + MOST_COMPARED].tolist():
            if earlier >= later:
                break
            if earlier not in candidates:
                candidates.add(earlier)
                yield earlier
            if len(candidates) == MOST_COMPARED:
                return


def _bands(texts: Sequence[str], numbers: Sequence[int]) -> npt.NDArray[np.uint64]:
    """Return `BANDS` hashes a text: equal in a band where `ROWS` minima and the numbers are."""
    import numpy as np

    draws = np.random.default_rng(_SEED)
    rows = [draws.integers(1, 2**63, size=2, dtype=np.uint64) for _ in range(BANDS * ROWS)]
    bands = np.empty((len(texts), BANDS), dtype=np.uint64)
    for start in range(0, len(texts), _TOGETHER):
        sets = [grams(text) for text in texts[start : start + _TOGETHER]]
        lengths = [len(each) for each in sets]
        codes = np.fromiter(
            (crc32(gram.encode()) for each in sets for gram in each), np.uint64, sum(lengths)
        )
        begins = np.cumsum([0, *lengths[:-1]])
        for number in range(BANDS):
            band = np.array(numbers[start : start + _TOGETHER], dtype=np.uint64)
            for factor, shift in rows[number * ROWS : (number + 1) * ROWS]:
                hashed = (codes * (factor | np.uint64(1)) + shift) >> np.uint64(20)
                minima = np.minimum.reduceat(hashed, begins)
                band = band * np.uint64(0x9E3779B97F4A7C15) + minima
            bands[start : start + _TOGETHER, number] = band
    return bands
