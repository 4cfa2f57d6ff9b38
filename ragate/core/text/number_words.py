"""Numbers that are spelled out in English: "eight", "twenty-one", "two hundred and fifty"."""

import re
from collections.abc import Iterator

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
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
BARE_ONE = "one"

_DIGITS = "|".join(list(_ONES)[1:10])
_SMALL = f"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_DIGITS}))?|{'|'.join(reversed(_ONES))})"
_BELOW_1000 = f"{_SMALL}\\b(?:[ -]hundred\\b(?:[ -](?:and )?{_SMALL}\\b)?)?"
_SPELLED = re.compile(
    rf"\b{_BELOW_1000}(?:[ -](?:{'|'.join(_SCALES)})\b(?:[ -](?:and )?{_BELOW_1000})?){{0,4}}"
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
        elif word in _SCALES:
            total, below_1000 = total + below_1000 * _SCALES[word], 0
        elif word != "and":
            below_1000 += _ONES.get(word, 0) or _TENS.get(word, 0)
    return total + below_1000
