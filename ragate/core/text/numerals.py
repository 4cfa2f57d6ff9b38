"""The numbers of a text, each in one spelling."""

import re
import unicodedata

from ragate.core.text.number_words import BARE_ONE, spelled_numbers

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
