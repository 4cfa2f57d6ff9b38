"""English number words."""

from __future__ import annotations

from ragate.core.text.numerals import spelled_numbers


def test_each_has_its_place_and_its_digits() -> None:
    text = "It has Two Hundred and fifty legs, or one."
    [first, second] = spelled_numbers(text)

    assert (text[first.start : first.end], first.readings) == (
        "Two Hundred and fifty",
        ("250",),
    )
    assert (second.readings, second.claims) == (("1",), False)
