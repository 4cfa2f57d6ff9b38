"""Normal forms of hostile texts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text.number_places import claimed_places
from ragate.core.text.segmentation import words
from ragate.core.text.statements import names
from ragate.core.text.unicode_forms import normalised
from tests.unit.core.text.readings import numbers


@given(st.text(max_size=40))
def test_an_ordinary_text_is_as_the_standard_library_has_it(text: str) -> None:
    assert normalised("NFKC", text) == unicodedata.normalize("NFKC", text)


def test_marks_behind_the_thirtieth_in_a_row_are_left_out() -> None:
    text = "a" + "\u0f71\u0f72" * 30 + "b"

    assert normalised("NFC", text) == unicodedata.normalize("NFC", text[:31] + "b")


def test_no_character_becomes_a_mark_that_is_not_counted_as_one() -> None:
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    decomposed = {char: unicodedata.normalize("NFKD", char) for char in every}
    marks = [char for char, parts in decomposed.items() if unicodedata.combining(parts[0])]

    left = [char for char in marks if len(normalised("NFC", "a" + char * 99)) > 1 + 2 * 30]

    assert left == []


@pytest.mark.parametrize("sign", list("\u00ad\u061c\u200b\u200f\u202b\u2060\u2067\ufe0f\ufeff"))
def test_what_nobody_sees_parts_no_word_number_or_name(sign: str) -> None:
    for text in ("שלום עולם", "Acme pays 1,500 euros to Bigcorp", "v2.10"):
        spoilt = sign.join(text) + sign

        assert words(spoilt) == words(text)
        assert numbers(spoilt) == numbers(text)
        assert names(spoilt) == names(text)
        assert [place.near for place in claimed_places(spoilt)] == [
            place.near for place in claimed_places(text)
        ]
