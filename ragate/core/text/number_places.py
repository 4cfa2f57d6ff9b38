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


class _ContentWords(NamedTuple):
    """Where the words of content start, in order, and these without a plural's ending."""

    starts: list[int]
    roots: list[str]


@lru_cache(maxsize=4_096)  # three metrics read the same sentences
def claimed_places(text: str) -> tuple[NumberPlace, ...]:
    """Return the numbers that a text claims, with the words around them."""
    shown = visible(text)
    claimed = [
        numeral
        for numeral in numerals(shown)
        if numeral.claims and not _POINTER.search(shown, max(0, numeral.start - 14), numeral.start)
    ]
    return tuple(_places(shown, claimed))


@lru_cache(maxsize=4_096)
def without_values(text: str) -> str:
    """Return a text without its numbers, dates and units, which are compared as values."""
    shown = visible(text)
    between: list[str] = []
    end_of_last = 0
    for numeral, _, counted in claimed_places(text):
        start, end = numeral.start, numeral.end
        sign = SIGN_BEFORE.search(shown, max(0, start - 8), start)
        if sign:
            start = sign.start()
        token = TOKEN.match(shown, end) if counted.units else None
        if token and (token[1] in UNITS or token[1].lower() in UNITS):
            end = token.end()
        between.append(shown[end_of_last:start])
        end_of_last = end
    return " ".join([*between, shown[end_of_last:]])


def _places(text: str, numbers: Sequence[Numeral]) -> Iterator[NumberPlace]:
    if not numbers:
        return
    left_out = function_words_of(text)
    words = _content_words(text, left_out)
    measures = _measures(text, numbers, left_out)
    for numeral, counted in zip(numbers, measures, strict=True):
        yield NumberPlace(numeral, _near(text, numeral, words), counted)


def _near(text: str, numeral: Numeral, words: _ContentWords) -> dict[str, float]:
    """Return the words around a number by how near they are; those of a label all alike."""
    label = _LABEL_END.search(text, max(0, numeral.start - 6), numeral.start)
    reach = 2 * REACH if label else REACH
    first_after = bisect_left(words.starts, numeral.end)
    count_before = bisect_left(words.starts, numeral.start)
    fits: dict[int, float] = {}
    for index in range(max(0, count_before - reach), count_before):
        fits[index] = LABEL_FIT if label else 1 / (count_before - index)
    for index in range(first_after, min(len(words.roots), first_after + REACH)):
        fits[index] = 1 / (index - first_after + 1)

    clause = _clause(text, numeral, _WIDTH * reach)
    near: dict[str, float] = {}
    for index, fit in fits.items():
        word, start = words.roots[index], words.starts[index]
        if abs(start - numeral.start) <= _WIDTH * reach:
            fit_here = fit if start in clause else _BEYOND * fit
            near[word] = max(near.get(word, 0.0), fit_here)

    sign_before = text[max(0, numeral.start - 2) : numeral.start].rstrip()[-1:]
    sign_behind = text[numeral.end : numeral.end + 2].lstrip()[:1]
    for sign in (sign_before, sign_behind):
        if sign in _SIGNS:
            near[_SIGNS[sign]] = 1.0
    return near


def _clause(text: str, numeral: Numeral, reach: int) -> range:
    """Return where the clause around a number begins and ends, as far as it is looked for."""
    low, high = max(0, numeral.start - reach), numeral.end + reach
    ends_before = (match.end() for match in _CLAUSE_END.finditer(text, low, numeral.start))
    end = _CLAUSE_END.search(text, numeral.end, high)
    return range(max(ends_before, default=low), end.start() if end else high + 1)


def _is_date(numeral: Numeral) -> bool:
    return "-" in numeral.readings[0][1:] or ":" in numeral.readings[0]


def _measures(text: str, numbers: Sequence[Numeral], left_out: frozenset[str]) -> list[Measure]:
    """Return what each number counts; ends of a range share a unit, dates and versions none."""
    measures = []
    for numeral in numbers:
        is_amount = not numeral.parts and all(map(_AMOUNT.fullmatch, numeral.readings))
        counted = measure(text, numeral.start, numeral.end, left_out) if is_amount else Measure()
        measures.append(counted)

    for index in range(len(numbers) - 2, -1, -1):
        if _is_date(numbers[index]) or _is_date(numbers[index + 1]):
            continue
        first, second = measures[index], measures[index + 1]
        if shares_unit(text[numbers[index].end : numbers[index + 1].start]):
            if second.units and not first.units:
                measures[index] = second
            elif first.units and not second.units:
                measures[index + 1] = first

    for index, numeral in enumerate(numbers):
        if not measures[index].units and _YEAR.fullmatch(numeral.readings[0]):
            measures[index] = Measure()
    return measures


def _content_words(text: str, left_out: frozenset[str]) -> _ContentWords:
    words = _ContentWords([], [])
    for match in _WORD.finditer(text):
        for word in words_of(match[0]):
            if word not in left_out:
                words.starts.append(match.start())
                words.roots.append(root(word))
    return words


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
        is_said = any(reading in self._by_number for reading in claim.numeral.readings)
        return is_said or self._converts(claim)

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
        fits = [self._fits_of(claim) for claim in claims]
        places = [self._places_of(claim) for claim in claims]
        claims_of: dict[int, list[int]] = defaultdict(list)  # which say the number of a place
        for index, of_claim in enumerate(places):
            for place in of_claim:
                claims_of[place].append(index)

        def best_fit(index: int, among: Iterable[int]) -> float:
            return max((fits[index].get(place, 0.0) for place in among), default=0.0)

        fits_now = [best_fit(index, of_claim) for index, of_claim in enumerate(places)]

        def is_ousted(index: int, place: int) -> bool:
            fit_here, fit_there = fits_now[index], fits[index][place]
            if fit_here >= min(LEAST_FIT * fit_there, fit_there - CLEARLY):
                return False
            if not self._may_be_of(claims[index], place):
                return False
            return all(
                fit_here + fits_now[other] < fit_there + best_fit(other, places[index])
                for other in claims_of[place][:MOST_PLACES]
            )

        def is_in_place(index: int) -> bool:
            return bool(places[index]) and not any(is_ousted(index, place) for place in fits[index])

        return [is_in_place(index) or self._converts(each) for index, each in enumerate(claims)]

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
            if len(places) > MOST_PLACES:
                continue
            for index, weight_there in places:
                fits[index] += weight * weight_there
        return fits

    def _fits(self, claimed: Measure, source: Measure) -> bool:
        """Tell whether a number may count here what it counts there.

        Another word for the thing may mean the same, unless the sources count that as well.
        """
        if not claimed.fits(source):
            return False
        if not claimed.things or not (source.things or source.units):
            return True
        is_same = not claimed.things.isdisjoint(source.things)
        return is_same or claimed.things.isdisjoint(self._counted)

    def _converts(self, claim: NumberPlace) -> bool:
        """Tell whether a source holds a number in another unit; no date or time is converted."""
        return any(
            claim.measure.converts(reading, source, value)
            for reading in filter(_AMOUNT.fullmatch, claim.numeral.readings)
            for family in {unit.family for unit in claim.measure.units}
            for value, source in self._by_family[family]
            if _AMOUNT.fullmatch(value)
        )
