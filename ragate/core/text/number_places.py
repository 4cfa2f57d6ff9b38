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
from itertools import pairwise
from typing import NamedTuple

from ragate.core.text.languages import function_words_of
from ragate.core.text.numerals import Numeral, claimed_numerals, month_of, numerals, shares_unit
from ragate.core.text.segmentation import words_of
from ragate.core.text.unicode_forms import visible
from ragate.core.text.vocabulary import starts

# Family, factor to the family's base and, for temperatures, what is added; then how it is written.
_TABLE = """
time 1 : s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo
    secondi секунд секунды saniye 秒 초
time 60 : min mins minute minutes minuten minuto minutos minuti minuut минут минуты dakika 分 分钟
time 3600 : h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren
    час часа часов saat godzina godziny godzin 小时 小時
    時間 시간
time 86400 : day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen
    день дня дней dzień dni gün 天 日 일
time 604800 : week weeks woche wochen semaine semaines semana semanas settimana settimane weken
    неделя недели недель tydzień tygodnie tygodni hafta 周 週 星期 주
time 2629800 : month months monat monate monaten mois mes meses mese mesi mês maand maanden
    месяц месяца месяцев miesiąc miesiące miesięcy ay 个月 個月 か月 ヶ月 カ月 개월
time 31557600 : year years yr yrs jahr jahre jahren année années ans año años anno anni ano anos
    jaar jaren год года лет rok lata lat yıl 年 년
time 315576000 : decade decades jahrzehnt jahrzehnte
time 3155760000 : century centuries jahrhundert jahrhunderte siècle siècles siglo siglos
time .001 : ms millisecond milliseconds millisekunden
length .001 : mm millimeter millimeters millimetre millimetres
length .01 : cm centimeter centimeters centimetre centimetres zentimeter
length 1 : m meter meters metre metres mètres metros metri
length 1000 : km kilometer kilometers kilometre kilometres kilomètres kilómetros
length .0254 : inch inches zoll
length .3048 : ft foot feet
length .9144 : yd yard yards
length 1609.344 : mi mile miles meilen
mass .001 : mg milligram milligrams milligramm
mass 1 : g gram grams gramm grammes gramos
mass 1000 : kg kilo kilos kilogram kilograms kilogramm
mass 1000000 : t tonne tonnes tonnen
mass 907185 : ton tons
mass 453.592 : lb lbs pound pounds
mass 28.3495 : oz ounce ounces
volume .001 : ml milliliter milliliters millilitre millilitres
volume 1 : l liter liters litre litres litros litri
volume 3.78541 : gallon gallons
volume 1000 : m³ cubic-meters cubic-metres kubikmeter
area 1 : m² sqm square-meter square-meters square-metre square-metres quadratmeter
area 1000000 : km² square-kilometer square-kilometers square-kilometre square-kilometres
area .092903 : sqft square-foot square-feet
area 2589988 : square-mile square-miles
area 10000 : ha hectare hectares hektar
area 4046.86 : acre acres
speed 1 : m/s
speed .277778 : km/h kph kmh
speed .44704 : mph
speed .514444 : knot knots
temperature 1 273.15 : °C °c degrees-celsius degree-celsius celsius
temperature .555556 255.372 : °F °f degrees-fahrenheit degree-fahrenheit fahrenheit
data .125 : bit bits
data 1 : byte bytes
data 1000 : kB KB kilobyte kilobytes
data 1000000 : MB megabyte megabytes
data 1000000000 : GB gigabyte gigabytes
data 1000000000000 : TB terabyte terabytes
data 1024 : KiB kB KB kilobyte kilobytes
data 1048576 : MiB MB megabyte megabytes
data 1073741824 : GiB GB gigabyte gigabytes
percent 1 : % percent per-cent prozent percentage-point percentage-points
usd 1 : $ USD dollar dollars us-dollar us-dollars dólares
eur 1 : € EUR euro euros
gbp 1 : £ GBP pound pounds
chf 1 : CHF franken
jpy 1 : ¥ JPY yen 円
cny 1 : CNY RMB yuan 元
inr 1 : ₹ INR rupee rupees
krw 1 : ₩ KRW won 원
rub 1 : ₽ RUB рублей рубля
"""
_PER = frozenset({"per", "a", "an", "each", "every", "pro", "je", "par", "por", "al", "/"})
_RATES = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year",
    "annually": "year", "annual": "year", "täglich": "day", "wöchentlich": "week",
    "monatlich": "month", "jährlich": "year",
}  # fmt: skip
_BEFORE = re.compile(r"([$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|KRW|RUB))[ \u00a0*_`]{0,3}$")
_TOKEN = re.compile(
    r"[ \t\n\u00a0\u202f*_`’'\"“”-]{0,3}"
    r"(km/h|m/s|[^\W\d_]+[²³]?|°[ ]?[CFcf]?|[%$€£¥₹₩₽/])"
)
# What makes a number a bound, before it and, as in "5 or more", behind it.
_BOUND = re.compile(
    r"\b(?:(?P<least>at least|(?:no|not) (?:less|fewer) than|minimum of|mindestens|au moins"
    r"|al menos|como mínimo|almeno|pelo menos|minstens)"
    r"|at most|(?:no|not) more than|maximum of|up to|höchstens|au plus|como máximo|al massimo"
    r"|no máximo|hoogstens)\W{1,4}$",
    re.IGNORECASE,
)
_BOUND_BEHIND = {"more": "least", "longer": "least", "less": "most", "fewer": "most"}
_MOST = 4  # words behind a number that may say what it counts
REACH = 6  # words on either side
LEAST_FIT = 0.8  # of the fit of the best other number; as measured, see docs/decisions
MOST_PLACES = 100  # a word beside more numbers than these says nothing of any of them
_WIDTH = 15  # characters to each of these words, on either side
_LABEL_END = re.compile(r"[:|]\W*$")
LABEL_FIT = 0.5  # of each word of a label, whose order does not tell which of them counts
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "°": "degree"}
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|21\d\d")
_WORD = re.compile(r"[^\W\d_]++(?>(?:['’][^\W\d_]++)*)")


class Unit(NamedTuple):
    """A unit of a family that converts: `value * factor + offset` is in the family's base."""

    family: str
    factor: float
    offset: float = 0.0


def _units() -> dict[str, tuple[Unit, ...]]:
    units: dict[str, tuple[Unit, ...]] = {}
    for line in _TABLE.replace("\n    ", " ").strip().splitlines():
        (family, *figures), written = (part.split() for part in line.split(" : "))
        unit = Unit(family, *map(float, figures))
        for name in written:
            units[name.replace("-", " ")] = (*units.get(name.replace("-", " "), ()), unit)
    return units


_UNITS = _units()
_CJK_UNITS = tuple(sorted((name for name in _UNITS if name > "\u2e80"), key=len, reverse=True))


class Measure(NamedTuple):
    """What a number counts.

    Attributes:
        units: The unit behind or before it; two where a word is one of two (pound).
        per: What it is for each of: units, or the starts of words.
        things: Without a unit the words of content behind it.
        bound: "least" or "most" where it is no number but a bound of some.
    """

    units: tuple[Unit, ...] = ()
    per: frozenset[object] = frozenset()
    things: frozenset[str] = frozenset()
    bound: str = ""

    def fits(self, source: "Measure") -> bool:
        """Tell whether nothing speaks against both being the same, units unconverted."""
        if self.per and source.per and self.per.isdisjoint(source.per):
            return False
        if self.bound and source.bound and self.bound != source.bound:
            return False
        if self.units:
            return not (set(self.units).isdisjoint(source.units) if source.units else source.things)
        return True

    def converts(self, value: str, source: "Measure", of: str) -> bool:
        """Tell whether a value of a source is this one in another unit, as far as it is rounded."""
        return any(
            ours.family == theirs.family
            and ours != theirs
            and _rounded_alike(
                float(value),
                (float(of) * theirs.factor + theirs.offset - ours.offset) / ours.factor,
                value,
            )
            for ours in self.units
            for theirs in source.units
        )


def _rounded_alike(value: float, converted: float, written: str) -> bool:
    """Tell whether a value is another one, rounded to the figures that it is written with."""
    figures = len(written.lstrip("-0.").replace(".", ""))
    if "." not in written:
        figures = len(written.lstrip("-").rstrip("0"))
    return float(f"{converted:.{max(2, figures) - 1}e}") == float(f"{value:.15e}")


def measure(text: str, start: int, end: int, left_out: frozenset[str]) -> Measure:
    """Return what the number between two places counts.

    Args:
        left_out: Words of grammar, at which the thing that is counted ends.
    """
    sign = _BEFORE.search(text, max(0, start - 8), start)
    tokens = list(_following(text, end))
    lowered = [token.lower() for token in tokens]
    units, taken = _unit(tokens, lowered)
    if sign:
        units = _UNITS[sign[1]]
    phrase = _phrase(lowered[taken:], left_out)
    if not units and phrase:
        units = _UNITS.get(phrase[-1], ()) if len(phrase[-1]) > 2 else ()
        taken += len(phrase) if units else 0
    per = frozenset(_per(lowered[taken:]))
    things = frozenset[str]() if units else frozenset(map(root, phrase))
    return Measure(units, per, things, _bound(text, start, lowered))


def _bound(text: str, start: int, behind: Sequence[str]) -> str:
    """Return "least" for "at least 5" and "5 days or more", "most" for their opposites, else ""."""
    if before := _BOUND.search(text, max(0, start - 26), start):
        return "least" if before["least"] else "most"
    alternatives = (_BOUND_BEHIND.get(b, "") for a, b in pairwise(behind[:_MOST]) if a == "or")
    return next(alternatives, "")


def root(word: str) -> str:
    """Return a word without a plural's ending."""
    return min(starts(word), key=len) if word.endswith("s") else word


def _following(text: str, position: int) -> Iterator[str]:
    for _ in range(2 * _MOST):
        match = _TOKEN.match(text, position)
        if match is None:
            return
        yield match[1]
        position = match.end()


def _unit(tokens: list[str], lowered: list[str]) -> tuple[tuple[Unit, ...], int]:
    """Return the unit that tokens begin with, and how many tokens it takes."""
    if not tokens:
        return (), 0
    if units := _UNITS.get(" ".join(lowered[:2])) if len(tokens) > 1 else None:
        return units, 2
    first = tokens[0].replace(" ", "")
    units = _UNITS.get(first) or (_UNITS.get(lowered[0]) if len(first) > 2 else None)
    if units is None and first > "\u2e80":
        units = next((_UNITS[name] for name in _CJK_UNITS if first.startswith(name)), None)
    return (units, 1) if units else ((), 0)


def _phrase(lowered: list[str], left_out: frozenset[str]) -> list[str]:
    """Return the words of content that tokens begin with."""
    phrase: list[str] = []
    for token in lowered[:_MOST]:
        if token in left_out or token in _RATES or token in _PER or not token[0].isalpha():
            break
        phrase.append(token)
    return phrase


def _per(lowered: list[str]) -> Iterator[object]:
    """Yield what a number is for each of, as units or words."""
    for place, token in enumerate(lowered):
        if token in _RATES:
            yield _UNITS[_RATES[token]]
        elif token in _PER and place + 1 < len(lowered):
            following = lowered[place + 1]
            yield _UNITS.get(following) or root(following)


class NumberPlace(NamedTuple):
    """A number, what it counts, and the words around it: 1 the next one, then 1/2, 1/3."""

    numeral: Numeral
    near: Mapping[str, float]
    measure: Measure = Measure()


@lru_cache(maxsize=4_096)  # three metrics read the same sentences
def claimed_places(text: str) -> tuple[NumberPlace, ...]:
    """Return the numbers that a text claims, with the words around them."""
    shown = visible(text)
    return tuple(_places(shown, claimed_numerals(shown)))


@lru_cache(maxsize=4_096)
def without_values(text: str) -> str:
    """Return a text without its numbers, dates and units, which are compared as values."""
    shown, kept, position = visible(text), list[str](), 0
    for place in claimed_places(text):
        start, end = place.numeral.start, place.numeral.end
        sign = _BEFORE.search(shown, max(0, start - 8), start)
        unit = _TOKEN.match(shown, end) if place.measure.units else None
        written = unit is not None and (unit[1] in _UNITS or unit[1].lower() in _UNITS)
        kept.append(shown[position : sign.start() if sign else start])
        position = unit.end() if unit is not None and written else end
    return " ".join([*kept, shown[position:]])


def is_unit(word: str) -> bool:
    """Tell whether a word or a sign is a unit, as it is written."""
    return word in _UNITS


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
    before = range(max(0, ahead - reach), ahead)
    after = range(behind, min(len(roots), behind + REACH))
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
