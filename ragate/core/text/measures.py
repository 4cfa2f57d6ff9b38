"""What numbers count: units that convert, things, rates and bounds."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

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
bc 1 : BC BCE B.C. B.C.E. v.Chr.
ad 1 : AD CE A.D. C.E. n.Chr.
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
power 1 : W watt watts
power .001 : mW
power 1000 : kW kilowatt kilowatts
power 1000000 : MW megawatt megawatts
power 1000000000 : GW gigawatt gigawatts
energy 1 : J joule joules
energy 1000 : kJ
energy 4184 : kcal
energy 3600 : Wh
energy 3600000 : kWh kilowattstunden
energy 3600000000 : MWh
energy 3600000000000 : GWh
frequency 1 : Hz hertz
frequency 1000 : kHz
frequency 1000000 : MHz
frequency 1000000000 : GHz
pressure 1 : Pa
pressure 100 : hPa mbar
pressure 1000 : kPa
pressure 100000 : bar
pressure 6894.76 : psi
percent 1 : % percent per-cent prozent percentage-point percentage-points
usd .01 : cent cents
eur .01 : cent cents
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
_PER = frozenset(
    {"per", "a", "an", "each", "every", "pro", "je", "am", "im", "par", "por", "al", "/"}
)
_RATE_LIST = """
hourly:hour daily:day weekly:week monthly:month yearly:year annually:year annual:year täglich:day
wöchentlich:week monatlich:month jährlich:year
"""
_RATES = dict(pair.split(":") for pair in _RATE_LIST.split())
SIGN_BEFORE = re.compile(
    r"([$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|KRW|RUB))[ \u00a0*_`]{0,3}$"
)
TOKEN = re.compile(
    r"[ \t\n\u00a0\u202f*_`’'\"“”-]{0,3}"
    r"(km ?/ ?h|m ?/ ?s|(?:[A-Z]\.){2,3}|[^\W\d_]+[²³]?|°[ ]?[CFcf]?|[%$€£¥₹₩₽/])"
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


UNITS = _units()
_CJK_UNITS = tuple(sorted((name for name in UNITS if name > "\u2e80"), key=len, reverse=True))


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

    def may_be_of(self, source: "Measure") -> bool:
        """Tell whether what counts this may have been taken from there: units are of one family."""
        if self.units and source.units:
            return not {u.family for u in self.units}.isdisjoint(u.family for u in source.units)
        return not (source.things if self.units else source.units)

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
    sign = SIGN_BEFORE.search(text, max(0, start - 8), start)
    tokens = list(_following(text, end))
    lowered = [token.lower() for token in tokens]
    units, taken = _unit(tokens, lowered)
    if sign:
        units = UNITS[sign[1]]
    phrase = _phrase(lowered[taken:], left_out)
    if not units and phrase:
        units = UNITS.get(phrase[-1], ()) if len(phrase[-1]) > 2 else ()
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
        match = TOKEN.match(text, position)
        if match is None:
            return
        yield match[1]
        position = match.end()


def _unit(tokens: list[str], lowered: list[str]) -> tuple[tuple[Unit, ...], int]:
    """Return the unit that tokens begin with, and how many tokens it takes."""
    if not tokens:
        return (), 0
    if units := UNITS.get(" ".join(lowered[:2])) if len(tokens) > 1 else None:
        return units, 2
    first = tokens[0].replace(" ", "")
    units = UNITS.get(first) or (UNITS.get(lowered[0]) if len(first) > 2 else None)
    if units is None and first > "\u2e80":
        units = next((UNITS[name] for name in _CJK_UNITS if first.startswith(name)), None)
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
            yield UNITS[_RATES[token]]
        elif token in _PER and place + 1 < len(lowered):
            following = lowered[place + 1]
            yield UNITS.get(following) or root(following)


def is_unit(word: str) -> bool:
    """Tell whether a word or a sign is a unit, as it is written, or a word with a capital."""
    return word in UNITS or (len(word) > 2 and word.lower() in UNITS)
