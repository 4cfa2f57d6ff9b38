"""English number words, such as two hundred and fifty."""

import re
from collections.abc import Iterator
from typing import NamedTuple

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


class SpelledNumber(NamedTuple):
    """A number in words: where it stands, its digits, and the words in lower case."""

    start: int
    end: int
    value: str
    words: str


def spelled_numbers(text: str) -> Iterator[SpelledNumber]:
    """Yield the spelled-out numbers of a text in order."""
    lowered, end = text.lower(), 0
    if len(lowered) != len(text):  # a letter whose lower case is two: places would be wrong
        lowered = text
    # Looking each word up is ten times as fast as trying the whole pattern everywhere.
    for start in [m.start() for m in _WORD.finditer(lowered) if m[0] in _FIRST]:
        if start >= end and (match := _SPELLED.match(lowered, start)):
            end = match.end()
            yield SpelledNumber(start, end, str(_value(match[0])), match[0])


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


def in_digits(word: str) -> str:
    """Return a number word of one word in digits, any other as it is: eight is 8."""
    value = _ONES.get(word, _TENS.get(word))
    return word if value is None else str(value)


def is_number_word(word: str) -> bool:
    """Tell whether a word in lower case is a number, or a part of one, by itself."""
    return word in _FIRST or word in _POWERS or word == "hundred"
