"""The numbers of a text as tests compare them."""

from __future__ import annotations

from ragate.core.text.numerals import numerals


def numbers(text: str) -> list[str]:
    """Return the likeliest reading of each number, in order."""
    return [numeral.readings[0] for numeral in numerals(text)]
