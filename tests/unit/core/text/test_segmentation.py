"""Words in many scripts."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text import segmentation
from ragate.core.text.segmentation import content_words, units, words
from ragate.core.text.vocabulary import vocabulary


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


def by_unicode_alone(text: str) -> list[str]:
    """Return the pieces of a text that hold a word, by Unicode's boundaries."""
    return held(segmentation._BOUNDARY.split(text))


def by_the_pattern_for_ascii(text: str) -> list[str]:
    return held(segmentation._ASCII_PIECE.findall(text))


def held(pieces: list[str]) -> list[str]:
    """Return those that hold a word, without a quote before it: a part or not, by version."""
    return [piece.removeprefix("'") for piece in pieces if any(map(str.isalnum, piece))]


def test_ascii_is_parted_as_by_unicodes_boundaries() -> None:
    for letters in product("ab1_'.:,; -\n", repeat=4):
        text = "".join(letters)
        assert by_the_pattern_for_ascii(text) == by_unicode_alone(text)


@given(st.text(st.characters(max_codepoint=127)).map(str.lower))
def test_any_ascii_is_parted_as_by_unicodes_boundaries(text: str) -> None:
    assert by_the_pattern_for_ascii(text) == by_unicode_alone(text)


# What may join or part words, marks among them.
SIGNS = st.sampled_from(["\u0301", "\U00011044", "’", "'", ".", "_", "\u200d"])
SPACES = st.sampled_from(
    [" ", "\n", "\r\n", "\x85", "\u00a0", "\u1680", "\u2028", "\u202f", "\u3000"]
)


@given(st.lists(st.one_of(SPACES, SIGNS, st.text(max_size=6)), max_size=12).map("".join))
def test_a_vocabulary_holds_the_words_of_its_texts_and_no_others(text: str) -> None:
    assert vocabulary([text]).words == set(words(text))
