"""English number words."""

from __future__ import annotations

from ragate.core.text.numerals import spelled_numbers


def test_each_has_its_place_its_digits_and_its_words() -> None:
    text = "It has Two Hundred and fifty legs, or one."
    [first, second] = spelled_numbers(text)

    assert (text[first.start : first.end], first.value) == ("Two Hundred and fifty", "250")
    assert (second.words, second.value) == ("one", "1")
