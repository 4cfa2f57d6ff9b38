"""Words, sentences, numbers and markers, on friendly and on hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import (
    lcs_length,
    markers,
    squad_normalize,
    token_count,
    tokens,
    without_markers,
)
from tests.unit.core.text.readings import numbers


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(token == token.strip() != "" for token in tokens(text))
    assert bool(squad_normalize(text)) == bool(text.strip())
    assert all(number for number in numbers(text))
    assert token_count(text) >= 0
    assert bool(without_markers(text).strip()) == bool(text.strip())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One [1], two[2, 3] and [4][5].", [1, 2, 3, 4, 5]),
        ("[1] [1] [0]", [1, 1, 0]),
        ("`a[1]` and ```\nb[2]\n``` but [3]", [3]),
        ("[a] [1-3] [] [12345] [1", []),
    ],
)
def test_markers_are_read_in_order(text: str, expected: list[int]) -> None:
    assert markers(text) == expected


def test_a_text_of_markers_alone_stays() -> None:
    assert without_markers("One [1].") == "One ."
    assert without_markers(" [1]") == " [1]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Quick, brown FOX!", "quick brown fox"),
        ("an apple a day", "apple day"),
        ("don't $5 x_y", "dont 5 xy"),
        ("“Curly” — dash", "curly dash"),
        ("A", "a"),
        ("?", "?"),
        ("", ""),
    ],
)
def test_normalisation_is_squads(text: str, expected: str) -> None:
    assert squad_normalize(text) == expected


def test_composed_and_decomposed_letters_are_equal() -> None:
    assert tokens("Caf\u00e9") == tokens("cafe\u0301")
    assert squad_normalize("Caf\u00e9") == squad_normalize("cafe\u0301")


def test_vowel_signs_do_not_break_words() -> None:
    assert tokens("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_scripts_without_spaces_give_one_token_a_character() -> None:
    assert tokens("東京 2020") == ["東", "京", "2020"]


def quadratic_lcs(first: str, second: str) -> int:
    row = [0] * (len(second) + 1)
    for one in first:
        previous = 0
        for place, other in enumerate(second, start=1):
            kept = row[place]
            row[place] = previous + 1 if one == other else max(row[place], row[place - 1])
            previous = kept
    return row[-1]


@given(st.text("abc", max_size=90), st.text("abcd", max_size=90))
def test_the_longest_common_subsequence_is_that_of_the_textbook(first: str, second: str) -> None:
    assert lcs_length(list(first), list(second)) == quadratic_lcs(first, second)


HOSTILE = [
    ".", "a.", "a. ", "! ", "[1,", ". [1,", ".[1]", "`", "```x", "1", "1,", ".000", "[", "\n ",
    " ", "# \n", "#", '!"', "-1", "1 million ", "1'", "(", "[1][", "你。", "A. ", "\u0301", "\n1. ",
    "x", "```\n", "~~~", "| |\n", "don't ", "東", "ไ", "한", "1 000 ", "1 May 2024 ", "1/", "Mai",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear_on_hostile_text(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    started = time.process_time()
    for read in (
        split_sentences,
        tokens,
        words,
        squad_normalize,
        numbers,
        markers,
        without_markers,
    ):
        read(text)

    # Linear code needs about 0.06 s here, quadratic code several seconds.
    assert time.process_time() - started < 1.5
