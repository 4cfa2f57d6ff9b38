"""Numbers with the words around them, and whether a number stands beside the same words elsewhere.

What belongs to a number is told by contrast: the words around it in an answer are compared with
those around every number of the sources. Where they fit another number clearly better than the
same number, it was taken from elsewhere.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.languages import function_words_of
from ragate.core.text.numerals import Numeral, claimed_numerals, numerals
from ragate.core.text.segmentation import starts, words
from ragate.core.text.unicode_forms import visible

REACH = 6  # words on either side
LEAST_FIT = 0.8  # of the fit of the best other number; as measured, see docs/decisions
MOST_PLACES = 100  # a word beside more numbers than these says nothing of any of them
_WIDTH = 90  # characters on either side in which these words are looked for
_UNITS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "°": "degree"}
_WORD = re.compile(r"[^\W\d_]++(?:['’][^\W\d_]++)*+")


class NumberPlace(NamedTuple):
    """A number, and the words around it by how near they are: 1 the next one, then 1/2, 1/3."""

    numeral: Numeral
    near: Mapping[str, float]


def claimed_places(text: str) -> list[NumberPlace]:
    """Return the numbers that a text claims, with the words around them."""
    shown = visible(text)
    return list(_places(shown, claimed_numerals(shown)))


def _places(text: str, found: Sequence[Numeral]) -> Iterator[NumberPlace]:
    if not found:
        return
    starting, roots = _roots(text)
    for numeral in found:
        ahead = bisect_left(starting, numeral.start)
        behind = bisect_left(starting, numeral.end)
        near: dict[str, float] = {}
        for indices in (range(ahead - 1, ahead - 1 - REACH, -1), range(behind, behind + REACH)):
            for distance, index in enumerate(indices, start=1):
                if 0 <= index < len(roots) and abs(starting[index] - numeral.start) <= _WIDTH:
                    near[roots[index]] = max(near.get(roots[index], 0.0), 1 / distance)
        signs = (
            text[max(0, numeral.start - 2) : numeral.start].rstrip()[-1:],
            text[numeral.end : numeral.end + 2].lstrip()[:1],
        )
        near |= {_UNITS[sign]: 1.0 for sign in signs if sign in _UNITS}
        yield NumberPlace(numeral, near)


def _roots(text: str) -> tuple[list[int], list[str]]:
    """Return where the words of content start, and these words without a plural's ending."""
    left_out = function_words_of(text)
    pairs = [
        (match.start(), min(starts(word), key=len) if word.endswith("s") else word)
        for match in _WORD.finditer(text)
        for word in words(match[0])
        if word not in left_out
    ]
    return [start for start, _ in pairs], [root for _, root in pairs]


@lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
def _source_places(text: str) -> tuple[NumberPlace, ...]:
    shown = visible(text)
    return tuple(_places(shown, numerals(shown)))


class NumberSources:
    """The numbers of the texts that an answer may rest on."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_word: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._by_number: dict[str, set[int]] = defaultdict(set)
        places = (place for text in texts for place in _source_places(text))
        for index, (numeral, near) in enumerate(places):
            for number in (*numeral.readings, *numeral.parts):
                self._by_number[number].add(index)
            for word, weight in near.items():
                self._by_word[word].append((index, weight))

    def hold(self, claim: NumberPlace) -> bool:
        """Tell whether a source holds a number, and no other number fits its words better."""
        groups = [self._by_number[n] for n in claim.numeral.readings if n in self._by_number]
        if not groups:
            return False
        fits: dict[int, float] = defaultdict(float)
        for word, weight in claim.near.items():
            places = self._by_word.get(word, ())
            for index, other in places if len(places) <= MOST_PLACES else ():
                fits[index] += weight * other
        of_same = [fit for index, fit in fits.items() if any(index in group for group in groups)]
        return max(of_same, default=0.0) >= LEAST_FIT * max(fits.values(), default=0.0) - 1e-9
