"""Numbers with the words around them, and whether a number stands beside the same words elsewhere.

What belongs to a number is told by its unit and by contrast: the words around it in an answer are
compared with those around every number of the sources. Where they fit another number clearly better
than the same number, it was taken from elsewhere.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.languages import function_words_of
from ragate.core.text.measures import Measure, measure, root, shares_unit
from ragate.core.text.numerals import Numeral, claimed_numerals, numerals
from ragate.core.text.segmentation import words
from ragate.core.text.unicode_forms import visible

REACH = 6  # words on either side
LEAST_FIT = 0.8  # of the fit of the best other number; as measured, see docs/decisions
MOST_PLACES = 100  # a word beside more numbers than these says nothing of any of them
_WIDTH = 90  # characters on either side in which these words are looked for
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "°": "degree"}
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|21\d\d")
_WORD = re.compile(r"[^\W\d_]++(?>(?:['’][^\W\d_]++)*)")


class NumberPlace(NamedTuple):
    """A number, what it counts, and the words around it: 1 the next one, then 1/2, 1/3."""

    numeral: Numeral
    near: Mapping[str, float]
    measure: Measure = Measure()


def claimed_places(text: str) -> list[NumberPlace]:
    """Return the numbers that a text claims, with the words around them."""
    shown = visible(text)
    return list(_places(shown, claimed_numerals(shown)))


def _places(text: str, found: Sequence[Numeral]) -> Iterator[NumberPlace]:
    if not found:
        return
    left_out = function_words_of(text)
    starting, roots = _roots(text, left_out)
    measures = _measures(text, found, left_out)
    for numeral, counted in zip(found, measures, strict=True):
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
        near |= {_SIGNS[sign]: 1.0 for sign in signs if sign in _SIGNS}
        yield NumberPlace(numeral, near, counted)


def _measures(text: str, found: Sequence[Numeral], left_out: frozenset[str]) -> list[Measure]:
    """Return what each number counts; ends of a range share a unit, dates and years have none."""
    measures = [
        Measure()
        if numeral.parts or "-" in numeral.readings[0][1:]
        else measure(text, numeral.start, numeral.end, left_out)
        for numeral in found
    ]
    for place in range(len(found) - 2, -1, -1):
        first, second = measures[place : place + 2]
        if shares_unit(text[found[place].end : found[place + 1].start]):
            if second.units and not first.units:
                measures[place] = second
            elif first.units and not second.units:
                measures[place + 1] = first
    return [
        Measure() if not one.units and _YEAR.fullmatch(numeral.readings[0]) else one
        for numeral, one in zip(found, measures, strict=True)
    ]


def _roots(text: str, left_out: frozenset[str]) -> tuple[list[int], list[str]]:
    """Return where the words of content start, and these words without a plural's ending."""
    pairs = [
        (match.start(), root(word))
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
        # By number and by what it counts, which are a few.
        self._by_number: dict[str, dict[Measure, set[int]]] = defaultdict(dict)
        self._by_family: dict[str, dict[tuple[str, Measure], None]] = defaultdict(dict)
        self._counted: set[str] = set()
        places = (place for text in texts for place in _source_places(text))
        for index, (numeral, near, counted) in enumerate(places):
            for number in (*numeral.readings, *numeral.parts):
                self._note(number, counted, index)
            for word, weight in near.items():
                self._by_word[word].append((index, weight))

    def _note(self, number: str, counted: Measure, index: int) -> None:
        by_measure = self._by_number[number]
        if counted not in by_measure and len(by_measure) >= MOST_PLACES:
            counted = Measure()  # fits all
        by_measure.setdefault(counted, set()).add(index)
        self._counted |= counted.things
        for unit in counted.units:
            if len(self._by_family[unit.family]) < MOST_PLACES:
                self._by_family[unit.family][number, counted] = None

    def hold(self, claim: NumberPlace) -> bool:
        """Tell whether a source holds a number with its unit, and no other fits its words better.

        A number in another unit is held where it is one of a source, converted and rounded.
        """
        same = [
            indices
            for reading in claim.numeral.readings
            for source, indices in self._by_number.get(reading, {}).items()
            if self._fits(claim.measure, source)
        ]
        if not same:
            return self._converts(claim)
        fits: dict[int, float] = defaultdict(float)
        for word, weight in claim.near.items():
            places = self._by_word.get(word, ())
            for index, other in places if len(places) <= MOST_PLACES else ():
                fits[index] += weight * other
        of_same = [fit for index, fit in fits.items() if any(index in group for group in same)]
        return max(of_same, default=0.0) >= LEAST_FIT * max(fits.values(), default=0.0) - 1e-9

    def _fits(self, claimed: Measure, source: Measure) -> bool:
        """Tell whether a number may count here what it counts there.

        Another word for the thing may mean the same, unless the sources count that as well.
        """
        if not claimed.fits(source):
            return False
        if not claimed.things or not (source.things or source.units):
            return True
        alike = not claimed.things.isdisjoint(source.things)
        return alike or claimed.things.isdisjoint(self._counted)

    def _converts(self, claim: NumberPlace) -> bool:
        return any(
            claim.measure.converts(reading, source, value)
            for reading in claim.numeral.readings
            for family in {unit.family for unit in claim.measure.units}
            for value, source in self._by_family[family]
        )
