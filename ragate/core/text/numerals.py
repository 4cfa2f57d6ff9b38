"""The numbers of a text, each in one spelling."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.calendar_dates import calendar_dates, folded
from ragate.core.text.languages import writes_decimal_comma
from ragate.core.text.number_words import BARE_ONE, spelled_numbers
from ragate.core.text.unicode_forms import visible

_GAPS = "\u00a0\u2009\u202f"
_SCALES = {
    3: "thousand thousands tausend tsd mille mil k",
    4: "万 萬 만",
    5: "lakh lakhs",
    6: "million millions millionen millones millón milioni milhões miljoen mio mln mn m",
    7: "crore crores",
    8: "億 亿 억",
    9: "billion billions milliarden milliarde milliard milliards miliardi miljard mrd bn b",
    12: "trillion trillions billionen tn t 兆",
}
_POWERS = {word: power for power, words in _SCALES.items() for word in words.split()}
_HAN = "万萬億亿兆만억"  # written without a space before what is counted
_LETTERS = {"k", "m", "b", "t"}  # short for a scale only where they touch the number
_WORDS = "|".join(sorted(_POWERS.keys() - _LETTERS - set(_HAN), key=len, reverse=True))
_NUMBER = re.compile(
    r"(?>(?P<version>\b(?:v|version |release )(?=\d))?)"
    r"(?P<digits>(?<![\d.,])\d{1,3}(?>(?: \d{3}){1,20})(?!\d)(?>(?:[.,]\d++)?)"
    rf"|(?>(?:(?<![\w.,])\.)?)\d++(?>(?:[.,'\u2019{_GAPS}]\d++)*))"
    rf"(?:[ {_GAPS}-]?(?P<scale>(?:{_WORDS})(?!\w)|[{_HAN}])|(?P<letter>[kKmMbBtT])(?!\w))?",
    re.IGNORECASE,
)
_GROUPED = re.compile(rf"\d{{1,3}}(?:([.,' \u2019{_GAPS}])\d{{3}})(?>(?:\1\d{{3}})*)(?:[.,]\d++)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d++)?")
_AMBIGUOUS = re.compile(r"\d{1,3}[.,]\d{3}")
_MAY_BE_VERSION = re.compile(r"\d{1,3}\.[1-9]0")  # 2.10 is 2.1, or what follows 2.9
_FULL_WIDTH = str.maketrans("０１２３４５６７８９，．％＄", "0123456789,.%$")
_CURRENCY = frozenset("$€£¥₹₩")
# A decimal comma (3,5), or points between thousands (1.234.567), and their opposites.
_COMMA_SHOWN = re.compile(r"(?<![\d.,])(?:\d++,\d{1,2}(?![\d.,])|\d{1,3}\.\d{3}(?:\.\d{3}|,\d))")
_POINT_SHOWN = re.compile(r"(?<![\d.,])(?:\d++\.\d{1,2}(?![\d.,])|\d{1,3},\d{3}(?:,\d{3}|\.\d))")


class Numeral(NamedTuple):
    """A number of a text: where it stands, and how it may be read, the likeliest first.

    Attributes:
        parts: What it confirms besides: the year of a date, each column of a row of numbers.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    parts: tuple[str, ...] = ()
    claims: bool = True

    def stands_in(self, confirmed: Collection[str]) -> bool:
        """Tell whether one of its readings is among the numbers that a text confirms."""
        return any(reading in confirmed for reading in self.readings)


def numerals(text: str) -> list[Numeral]:
    """Return the numbers of a text in order, with their places in the `visible` text.

    6,000 and 6'000 and 6 000 and 6000.0 are "6000"; 1,23,456 is "123456"; 3,5 is "3.5"; .5 is
    "0.5"; 1.5 million, $1.5M and 1,5 Mio. are "1500000". 1.000 is a thousand where the text shows
    that it writes thousands so, by its other numbers or its language, and else read both ways.
    A version keeps its digits: v2.10 is "2.10", 1.2.3 is "1.2.3". A date is one number:
    "2024-05-01". Units are left out, the percent sign included. English number words are read.
    """
    text = text if text.isascii() else visible(text).translate(_FULL_WIDTH)
    dates = [Numeral(*date) for date in calendar_dates(text)]
    spelled = [
        Numeral(start, end, (value,), claims=words != BARE_ONE)
        for start, end, value, words in spelled_numbers(text)
    ]
    written = _written(text, [(date.start, date.end) for date in dates])
    return sorted([*written, *dates, *spelled])


def numbers(text: str) -> list[str]:
    """Return the likeliest reading of each number, in order."""
    return [numeral.readings[0] for numeral in numerals(text)]


def claimed_numerals(text: str) -> list[Numeral]:
    """Return `numerals` without each "one" that stands by itself.

    "One" is a pronoun more often than a figure: it can confirm a 1, and claims none.
    """
    return [numeral for numeral in numerals(text) if numeral.claims]


def confirmed_numbers(text: str) -> set[str]:
    """Return all that the numbers of a text can confirm: every reading, and their parts."""
    return {each for numeral in numerals(text) for each in (*numeral.readings, *numeral.parts)}


def _written(text: str, dates: list[tuple[int, int]]) -> Iterator[Numeral]:
    """Yield the numbers in digits outside of dates."""
    position = 0
    for start, end in [*dates, (len(text), len(text))]:
        for match in _NUMBER.finditer(text, position, start):
            yield _numeral(match, text)
        position = end


def _numeral(match: re.Match[str], text: str) -> Numeral:
    digits = _ascii_digits(match["digits"])
    if match["version"] and digits.replace(".", "").isdigit():
        return Numeral(match.start(), match.end("digits"), (digits,))
    power = _power(match, text)
    end = match.end() if power else match.end("digits")
    sign = "-" if _is_negative(text, match.start("digits")) else ""
    readings = [_plain(reading, power) for reading in _readings(digits, text)]
    if _MAY_BE_VERSION.fullmatch(digits):
        readings.append(digits)
    signed = tuple(f"{sign}{one}" if one != "0" else one for one in dict.fromkeys(readings))
    parts = [_plain(part, 0) for part in digits.split(" ")] if " " in digits else []
    return Numeral(match.start(), end, signed, tuple(parts))


def _power(match: re.Match[str], text: str) -> int:
    """Return the power of ten of a scale; a letter needs a currency, or be a capital K, M or B."""
    if match["scale"]:
        return _POWERS.get(folded(match["scale"]), 0)
    letter = match["letter"]
    before = text[max(match.start() - 2, 0) : match.start()].rstrip()[-1:]
    if letter and (letter in "kKMB" or before in _CURRENCY):
        return _POWERS.get(folded(letter), 0)
    return 0


def _is_negative(text: str, start: int) -> bool:
    """Tell a minus sign before a number from the dash of a range, a date or a word."""
    sign, before = text[max(start - 1, 0) : start], text[max(start - 2, 0) : max(start - 1, 0)]
    return sign in {"-", "\u2212"} and not (before.isalnum() or before in set("_.,)]"))


def _readings(digits: str, text: str) -> list[str]:
    """Return a number with its thousands closed up and a point for the decimal sign."""
    if _AMBIGUOUS.fullmatch(digits):
        grouped, decimal = re.sub("[.,]", "", digits), digits.replace(",", ".")
        point_groups = _point_groups(text)
        if point_groups is None:
            return [decimal, grouped] if "." in digits else [grouped]
        return [grouped] if point_groups == ("." in digits) else [decimal]
    if grouped_match := _GROUPED.fullmatch(digits):
        return [digits.replace(grouped_match.group(1), "").replace(",", ".")]
    if _INDIAN.fullmatch(digits):
        return [digits.replace(",", "")]
    return [re.sub(rf"[,' \u2019{_GAPS}]", ".", digits)]


@lru_cache(maxsize=64)
def _point_groups(text: str) -> bool | None:
    """Tell whether a text writes 1.000 for a thousand, None where it does not show it."""
    comma, point = bool(_COMMA_SHOWN.search(text)), bool(_POINT_SHOWN.search(text))
    if comma != point:
        return comma
    return True if writes_decimal_comma(text) else None


def _plain(number: str, power: int) -> str:
    integer, _, fraction = number.partition(".")
    if "." in fraction:
        return number
    integer, fraction = integer + fraction[:power].ljust(power, "0"), fraction[power:]
    integer, fraction = integer.lstrip("0") or "0", fraction.rstrip("0")
    return f"{integer}.{fraction}" if fraction else integer


def _ascii_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char, char)) for char in text)
