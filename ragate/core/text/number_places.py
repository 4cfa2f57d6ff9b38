"""Numbers with what they count and the words around them, and whether both stand so elsewhere.

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
from ragate.core.text.measures import SIGN_BEFORE, TOKEN, UNITS, Measure, measure, root
from ragate.core.text.numerals import Numeral, claimed_numerals, month_of, numerals, shares_unit
from ragate.core.text.segmentation import words_of
from ragate.core.text.unicode_forms import visible

REACH = 6  # words on either side
LEAST_FIT = 0.8  # of the fit of the best other number; as measured, see docs/decisions
MOST_PLACES = 100  # a word beside more numbers than these says nothing of any of them
_WIDTH = 15  # characters to each of these words, on either side
_LABEL_END = re.compile(r"[:|]\W*$")
LABEL_FIT = 0.5  # of each word of a label, whose order does not tell which of them counts
_POINTER = re.compile(r"\b(?:document|source|passage|context|excerpt|snippet)s? #?$", re.IGNORECASE)
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "°": "degree"}
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|21\d\d")
_WORD = re.compile(r"[^\W\d_]++(?>(?:['’][^\W\d_]++)*)")


class NumberPlace(NamedTuple):
    """A number, what it counts, and the words around it: 1 the next one, then 1/2, 1/3."""

    numeral: Numeral
    near: Mapping[str, float]
    measure: Measure = Measure()


@lru_cache(maxsize=4_096)  # three metrics read the same sentences
def claimed_places(text: str) -> tuple[NumberPlace, ...]:
    """Return the numbers that a text claims, with the words around them."""
    shown = visible(text)
    found = claimed_numerals(shown)
    claimed = [
        one for one in found if not _POINTER.search(shown, max(0, one.start - 14), one.start)
    ]
    return tuple(_places(shown, claimed))


@lru_cache(maxsize=4_096)
def without_values(text: str) -> str:
    """Return a text without its numbers, dates and units, which are compared as values."""
    shown, kept, position = visible(text), list[str](), 0
    for place in claimed_places(text):
        start, end = place.numeral.start, place.numeral.end
        sign = SIGN_BEFORE.search(shown, max(0, start - 8), start)
        unit = TOKEN.match(shown, end) if place.measure.units else None
        written = unit is not None and (unit[1] in UNITS or unit[1].lower() in UNITS)
        kept.append(shown[position : sign.start() if sign else start])
        position = unit.end() if unit is not None and written else end
    return " ".join([*kept, shown[position:]])


def _places(text: str, found: Sequence[Numeral]) -> Iterator[NumberPlace]:
    if not found:
        return
    left_out = function_words_of(text)
    starting, roots = _roots(text, left_out)
    measures = _measures(text, found, left_out)
    for numeral, counted in zip(found, measures, strict=True):
        yield NumberPlace(numeral, _near(text, numeral, starting, roots), counted)


def _near(
    text: str, numeral: Numeral, starting: Sequence[int], roots: Sequence[str]
) -> dict[str, float]:
    """Return the words around a number by how near they are; those of a label all alike."""
    ahead = bisect_left(starting, numeral.start)
    behind = bisect_left(starting, numeral.end)
    label = _LABEL_END.search(text, max(0, numeral.start - 6), numeral.start)
    reach = 2 * REACH if label else REACH
    first, last = max(0, ahead - reach), min(len(roots), behind + REACH)
    if label and label[0][0] == ":":  # in a cell: the others of its row have labels of their own
        start, end = _cell(text, numeral)
        first, last = (
            max(first, bisect_left(starting, start)),
            min(last, bisect_left(starting, end)),
        )
    before, after = range(first, ahead), range(behind, last)
    fits = [LABEL_FIT if label else 1 / (ahead - index) for index in before]
    fits += [1 / (index - behind + 1) for index in after]

    near: dict[str, float] = {}
    for index, fit in zip((*before, *after), fits, strict=True):
        if abs(starting[index] - numeral.start) <= _WIDTH * reach:
            near[roots[index]] = max(near.get(roots[index], 0.0), fit)
    signs = (
        text[max(0, numeral.start - 2) : numeral.start].rstrip()[-1:],
        text[numeral.end : numeral.end + 2].lstrip()[:1],
    )
    return near | {_SIGNS[sign]: 1.0 for sign in signs if sign in _SIGNS}


def _cell(text: str, numeral: Numeral) -> tuple[int, int]:
    """Return where the cell around a number begins and ends, or its text."""
    start = text.rfind("|", max(0, numeral.start - 2 * REACH * _WIDTH), numeral.start) + 1
    end = text.find("|", numeral.end, numeral.end + REACH * _WIDTH)
    return start, end if end >= 0 else len(text)


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
        for word in words_of(match[0])
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
        self._measures: list[Measure] = []
        places = (place for text in texts for place in _source_places(text))
        for index, (numeral, near, counted) in enumerate(places):
            self._measures.append(counted)
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

    def state(self, claim: NumberPlace) -> bool:
        """Tell whether a source holds a number, as it is or in another unit, wherever it stands."""
        return any(one in self._by_number for one in claim.numeral.readings) or self._converts(
            claim
        )

    def has_month(self, word: str) -> bool:
        """Tell whether a word names a month of which a source has a date."""
        month = month_of(word)
        return bool(month) and any(month in number for number in self._by_number)

    def hold(self, claim: NumberPlace) -> bool:
        """Tell whether a source holds a number with its unit, and no other fits its words better.

        A number in another unit is held where it is one of a source, converted and rounded.
        Compared are numbers of one kind: no year was taken for a speed.
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
        others = [f for n, f in fits.items() if claim.measure.may_be_of(self._measures[n])]
        return max(of_same, default=0.0) >= LEAST_FIT * max(others, default=0.0) - 1e-9

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
