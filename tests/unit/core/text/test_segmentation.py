"""Words in many scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.core.text.segmentation import content_words, units, vocabulary, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't pay, can't, cannot", ["do", "not", "pay", "can", "not", "can", "not"]),
        ("do n't", ["do", "not"]),
        ("Pete's U.S. e.g. l’eau", ["pete", "us", "eg", "l", "eau"]),
        ("3.5 or 384,400 km", ["3.5", "or", "384,400", "km"]),
        ("ends.Next plan:tips in-network", ["ends", "next", "plan", "tips", "in", "network"]),
        ("STRASSE Straße", ["strasse"] * 2),
        ("Cafe\u0301 Café ﬁne", ["café"] * 2 + ["fine"]),
        ("서울은", ["서울", "울은"]),
        ("北京是2020年", ["北京", "京是", "2020", "年"]),
        ("買う", ["買う"]),
        ("มีไป", ["มีไ", "ไป"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("الكتابُ والمدرسة إلى", ["كتاب", "مدرسه", "الي"]),
        ("می‌خواهم", ["میخواهم"]),
        ("", []),
    ],
)
def test_words_are_those_that_a_reader_sees(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_units_are_single_characters_where_words_are_pairs() -> None:
    assert units("北京 is 서울") == ["北", "京", "is", "서", "울"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_words(text: str) -> None:
    assert all(word and not word.isspace() for word in (*words(text), *units(text)))


@pytest.mark.parametrize(
    ("text", "word", "known"),
    [
        ("providers", "provider", True),
        ("Russia", "russian", True),
        ("Frankreichs", "frankreich", True),
        ("Austria", "australia", False),
        ("Iran", "iraq", False),
        ("2024", "2025", False),
        ("北京市", "京市", True),
        ("北京市", "市", True),
        ("北京市", "北市", False),
    ],
)
def test_a_word_with_another_ending_is_known(text: str, word: str, known: bool) -> None:
    assert (word in vocabulary([text])) is known


def test_words_of_grammar_are_no_content() -> None:
    assert content_words("The cat is not on the table.") == ["cat", "not", "table"]
    assert content_words("Die Katze liegt nicht auf dem Tisch.") == [
        "katze",
        "liegt",
        "nicht",
        "tisch",
    ]
