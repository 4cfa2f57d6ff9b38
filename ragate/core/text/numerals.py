"""The numbers of a text, each in one spelling."""

import re
import unicodedata
from collections.abc import Iterator

_NUMBER = re.compile(
    r"(?P<digits>\d++(?:[.,'\u2019\u00a0\u202f]\d++)*+)"
    r"(?:[ \u00a0\u202f-](?P<scale>thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:([.,'\u2019\u00a0\u202f])\d{3})(?:\1\d{3})*+(?:[.,]\d++)?")
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, in order, each in one spelling.

    6,000 and 6'000 and 6000.0 are "6000"; 3,5 is "3.5"; 1.5 million is "1500000". A point with
    three digits behind it is a decimal point unless it stands twice (1.234.567). Units are left
    out, the percent sign included: 50 %, 50% and 50 percent are all "50". A dotted sequence such
    as 1.2.3 stays whole. English number words are read: eight is "8", two hundred is "200".
    """
    return _in_order(text, bare_one=True)


def claimed_numbers(text: str) -> list[str]:
    """Return `numbers` without each "one" that stands by itself.

    "One" is a pronoun more often than a figure: it can confirm a 1, and claims none.
    """
    return _in_order(text, bare_one=False)


def _in_order(text: str, *, bare_one: bool) -> list[str]:
    spelled = [
        (start, value)
        for start, value, words in spelled_numbers(text)
        if bare_one or words != BARE_ONE
    ]
    written = [(match.start(), _signed(match, text)) for match in _NUMBER.finditer(text)]
    return [value for _, value in (sorted([*written, *spelled]) if spelled else written)]


def _signed(match: re.Match[str], text: str) -> str:
    value = _spell(match)
    return f"-{value}" if value != "0" and _is_negative(text, match.start()) else value


def _is_negative(text: str, start: int) -> bool:
    """Tell a minus sign before a number from the dash of a range, a date or a word."""
    sign, before = text[max(start - 1, 0) : start], text[max(start - 2, 0) : max(start - 1, 0)]
    return sign in {"-", "\u2212"} and not (before.isalnum() or before in set("_.,)]"))


def _spell(match: re.Match[str]) -> str:
    digits = _ascii_digits(match["digits"])
    integer, _, fraction = _decimal(digits).partition(".")
    if "." in fraction:
        return digits
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 0
    integer, fraction = integer + fraction[:scale].ljust(scale, "0"), fraction[scale:]
    integer, fraction = integer.lstrip("0") or "0", fraction.rstrip("0")
    return f"{integer}.{fraction}" if fraction else integer


def _ascii_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char, char)) for char in text)


def _decimal(digits: str) -> str:
    """Return a number with its thousands closed up and a point for the decimal sign."""
    grouped = _GROUPED.fullmatch(digits)
    if not grouped:
        return re.sub(r"[,'\u2019\u00a0\u202f]", ".", digits)
    separator = grouped.group(1)
    if separator == "." and digits.count(".") == 1 and "," not in digits:
        return digits
    return digits.replace(separator, "").replace(",", ".")


# fmt: off
_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}


_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}


# fmt: on
_POWERS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


BARE_ONE = "one"
_DIGITS = "|".join(list(_ONES)[1:10])


_SMALL = f"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_DIGITS}))?|{'|'.join(reversed(_ONES))})"


_BELOW_1000 = f"{_SMALL}\\b(?:[ -]hundred\\b(?:[ -](?:and )?{_SMALL}\\b)?)?"


_SPELLED = re.compile(
    rf"\b{_BELOW_1000}(?:[ -](?:{'|'.join(_POWERS)})\b(?:[ -](?:and )?{_BELOW_1000})?){{0,4}}"
)


_WORD = re.compile(r"[a-z]++")


_FIRST = frozenset((*_ONES, *_TENS))


def spelled_numbers(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield where each spelled-out number starts, its digits, and its words in lower case."""
    lowered, end = text.lower(), 0
    if len(lowered) != len(text):  # a letter whose lower case is two: places would be wrong
        lowered = text
    # Looking each word up is ten times as fast as trying the whole pattern everywhere.
    for start in [m.start() for m in _WORD.finditer(lowered) if m[0] in _FIRST]:
        if start >= end and (match := _SPELLED.match(lowered, start)):
            end = match.end()
            yield start, str(_value(match[0])), match[0]


def _value(words: str) -> int:
    total = below_1000 = 0
    for word in _WORD.findall(words):
        if word == "hundred":
            below_1000 *= 100
        elif word in _POWERS:
            total, below_1000 = total + below_1000 * _POWERS[word], 0
        elif word != "and":
            below_1000 += _ONES.get(word, 0) or _TENS.get(word, 0)
    return total + below_1000
