"""Words, sentences, numbers and markers, on friendly and on hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.core.text.words import (
    lcs_length,
    markers,
    numbers,
    split_sentences,
    squad_normalize,
    token_count,
    tokens,
    without_markers,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It costs 3.50 euros. Really.", ["It costs 3.50 euros.", "Really."]),
        ("Dr. Smith met J. R. Doe, e.g. here.", ["Dr. Smith met J. R. Doe, e.g. here."]),
        ("See Fig. 2 and No. 7. I said no. Then", ["See Fig. 2 and No. 7.", "I said no.", "Then"]),
        ("It was 1999. The war ended.", ["It was 1999.", "The war ended."]),
        ("At 5 p.m. it began. Wait... what?", ["At 5 p.m. it began.", "Wait... what?"]),
        ('"Stop." He said "go!" and left.', ['"Stop."', 'He said "go!" and left.']),
        ("So it is.[1] And so. [2, 3] Last", ["So it is.[1]", "And so. [2, 3]", "Last"]),
        ("Read README.md. Use ragate.toml now.", ["Read README.md.", "Use ragate.toml now."]),
        ("你好。世界！再见", ["你好。", "世界！", "再见"]),
        ("यह है। वह है।", ["यह है।", "वह है।"]),
        ("ما هذا؟ هذا كتاب.", ["ما هذا؟", "هذا كتاب."]),
        ("Das ist z.B. so. Ende.", ["Das ist z.B. so.", "Ende."]),
        ("wrapped\nline. next one", ["wrapped line. next one"]),
        ("# Title\nText here.\n\nMore", ["# Title", "Text here.", "More"]),
        ("Intro\n- one\n- two\n1. First. Last", ["Intro", "- one", "- two", "1. First.", "Last"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_sentences_are_split(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@settings(deadline=None)
@given(st.text(max_size=300))
def test_splitting_loses_only_whitespace(text: str) -> None:
    sentences = split_sentences(text)

    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6,000 6000 6'000 6\u00a0000 6000.0", ["6000"] * 5),
        ("1,234,567.89 and 1.234.567,89", ["1234567.89"] * 2),
        ("3,5 or 3.5 or 3.50", ["3.5"] * 3),
        ("1.234", ["1.234"]),
        ("50 % 50% 50 percent", ["50"] * 3),
        ("$1.5 million, 1,500,000 or 1.5-million", ["1500000"] * 3),
        ("2.5 thousandths", ["2.5"]),
        ("-5 and \u22125, but 3-5", ["-5", "-5", "3", "5"]),
        ("2024-01-05", ["2024", "1", "5"]),
        ("v1.2.3 007 .5", ["1.2.3", "7", "5"]),
        ("٣٤", ["34"]),
        ("-0 none", ["0"]),
        ("x², half, one-off", ["1"]),
        ("Eight of twenty-one, or 2", ["8", "21", "2"]),
        ("two hundred and fifty thousand and six", ["250006"]),
        ("twelve hundred, six million", ["1200", "6000000"]),
        ("twofold weight someone often", []),
    ],
)
def test_numbers_have_one_spelling(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**15))
def test_a_number_is_read_with_and_without_thousands_separators(number: int) -> None:
    assert numbers(f"{number:,}") == numbers(f"{number}") == [str(number)]


@settings(deadline=None)
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


@settings(deadline=None)
@given(st.text("abc", max_size=90), st.text("abcd", max_size=90))
def test_the_longest_common_subsequence_is_that_of_the_textbook(first: str, second: str) -> None:
    assert lcs_length(list(first), list(second)) == quadratic_lcs(first, second)


HOSTILE = [
    ".", "a.", "a. ", "! ", "[1,", ". [1,", ".[1]", "`", "```x", "1", "1,", ".000", "[", "\n ",
    " ", "# \n", "#", '!"', "-1", "1 million ", "1'", "(", "[1][", "你。", "A. ", "\u0301", "\n1. ",
    "x",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear_on_hostile_text(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    for read in (split_sentences, tokens, squad_normalize, numbers, markers, without_markers):
        read(text)

    # Linear code needs about 0.3 s here, quadratic code minutes.
    assert time.process_time() - started < 5
