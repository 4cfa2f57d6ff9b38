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
from ragate.core.text.numerals import Numeral, month_of, numerals, shares_unit
from ragate.core.text.segmentation import words_of
from ragate.core.text.unicode_forms import visible

REACH = 6  # words on either side
LEAST_FIT = 0.8  # of the fit of the best other number; as measured, see docs/decisions
CLEARLY = 0.15  # by which that one has to fit better: a word far from both tells nothing
MOST_PLACES = 100  # a word beside more numbers than these says nothing of any of them
_WIDTH = 15  # characters to each of these words, on either side
_CLAUSE_END = re.compile(r"[.!?;](?=\s)|[()|]")
_BEYOND = 0.5  # of the fit of a word in another clause
_LABEL_END = re.compile(r"[:|]\W*$")
LABEL_FIT = 0.5  # of each word of a label, whose order does not tell which of them counts
_POINTER = re.compile(r"\b(?:document|source|passage|context|excerpt|snippet)s? #?$", re.IGNORECASE)
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "°": "degree"}
_AMOUNT = re.compile(r"-?\d+(?:\.\d+)?")
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
    claimed = [
        one
        for one in numerals(shown)
        if one.claims and not _POINTER.search(shown, max(0, one.start - 14), one.start)
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
    before, after = range(first, ahead), range(behind, last)
    fits = [LABEL_FIT if label else 1 / (ahead - index) for index in before]
    fits += [1 / (index - behind + 1) for index in after]

    clause = _clause(text, numeral, _WIDTH * reach)
    near: dict[str, float] = {}
    for index, fit in zip((*before, *after), fits, strict=True):
        start = starting[index]
        if abs(start - numeral.start) <= _WIDTH * reach:
            fit *= 1 if start in clause else _BEYOND
            near[roots[index]] = max(near.get(roots[index], 0.0), fit)
    signs = (
        text[max(0, numeral.start - 2) : numeral.start].rstrip()[-1:],
        text[numeral.end : numeral.end + 2].lstrip()[:1],
    )
    return near | {_SIGNS[sign]: 1.0 for sign in signs if sign in _SIGNS}


def _clause(text: str, numeral: Numeral, reach: int) -> range:
    """Return where the clause around a number begins and ends, as far as it is looked for."""
    low, high = max(0, numeral.start - reach), numeral.end + reach
    ends = (match.end() for match in _CLAUSE_END.finditer(text, low, numeral.start))
    behind = _CLAUSE_END.search(text, numeral.end, high)
    return range(max(ends, default=low), behind.start() if behind else high + 1)


def _is_date(numeral: Numeral) -> bool:
    return "-" in numeral.readings[0][1:] or ":" in numeral.readings[0]


def _measures(text: str, found: Sequence[Numeral], left_out: frozenset[str]) -> list[Measure]:
    """Return what each number counts; ends of a range share a unit, dates and versions none."""
    measures = [
        measure(text, numeral.start, numeral.end, left_out)
        if not numeral.parts and all(map(_AMOUNT.fullmatch, numeral.readings))
        else Measure()
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
        self._places = [place for text in texts for place in _source_places(text)]
        for index, (numeral, near, counted) in enumerate(self._places):
            for number in (*numeral.readings, *numeral.parts):
                self._note(number, counted, index)
            for word, weight in near.items():
                self._by_word[word].append((index, weight))

    def _note(self, number: str, counted: Measure, index: int) -> None:
        by_measure = self._by_number[number]
        if counted not in by_measure and len(by_measure) >= MOST_PLACES:
            counted = Measure()  # fits all
        indices = by_measure.setdefault(counted, set())
        if len(indices) < MOST_PLACES:
            indices.add(index)
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

    def held(self, claims: Sequence[NumberPlace]) -> list[bool]:
        """Tell for each number of an answer whether a source holds it, with its unit, in its place.

        It is in its place unless the words around it clearly fit another number of its kind. If the
        answer says that one too, both would have to fit better the other way round. A number in
        another unit is held where it is one of a source, converted and rounded.
        """
        fits = list(map(self._fits_of, claims))
        same = list(map(self._places_of, claims))
        saying: dict[int, list[int]] = defaultdict(list)
        for number, places in enumerate(same):
            for place in places:
                saying[place].append(number)

        def fit(number: int, places: Iterable[int]) -> float:
            return max((fits[number].get(place, 0.0) for place in places), default=0.0)

        own = list(map(fit, range(len(claims)), same))

        def is_ousted(number: int, place: int) -> bool:
            better = fits[number][place]
            if own[number] >= min(LEAST_FIT * better, better - CLEARLY):
                return False
            if not self._may_be_of(claims[number], place):
                return False
            return all(
                own[number] + own[other] < better + fit(other, same[number])
                for other in saying[place][:MOST_PLACES]
            )

        return [
            (bool(same[number]) and not any(is_ousted(number, place) for place in fits[number]))
            or self._converts(claim)
            for number, claim in enumerate(claims)
        ]

    def _may_be_of(self, claim: NumberPlace, place: int) -> bool:
        """Tell whether a number may have been taken from a place: dates only from dates.

        No year was taken for a speed, and "one" is a pronoun more often than a figure.
        """
        source = self._places[place]
        alike = _is_date(claim.numeral) == _is_date(source.numeral)
        return alike and source.numeral.claims and claim.measure.may_be_of(source.measure)

    def _places_of(self, claim: NumberPlace) -> set[int]:
        """Return where the sources hold a number with its unit."""
        return {
            index
            for reading in claim.numeral.readings
            for source, indices in self._by_number.get(reading, {}).items()
            if self._fits(claim.measure, source)
            for index in indices
        }

    def _fits_of(self, claim: NumberPlace) -> dict[int, float]:
        """Return by number of the sources how well the words around a claimed one fit it."""
        fits: dict[int, float] = defaultdict(float)
        for word, weight in claim.near.items():
            places = self._by_word.get(word, ())
            for index, other in places if len(places) <= MOST_PLACES else ():
                fits[index] += weight * other
        return fits

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
