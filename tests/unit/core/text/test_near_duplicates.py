"""Near-duplicates: what counts as one, and that finding them does not take the square."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from ragate.core.text.near_duplicates import grams, jaccard, near_duplicates


def pairs(*texts: str, threshold: float = 0.8) -> list[tuple[int, int]]:
    return [(near.earlier, near.later) for near in near_duplicates(texts, threshold=threshold)]


def test_one_changed_letter_in_a_long_question_is_a_near_duplicate() -> None:
    text = "How do I change the address that is printed on my invoices?"

    assert pairs(text, "Where is the office?", text.replace("invoices", "invoicez")) == [(0, 2)]


def test_case_and_punctuation_do_not_count() -> None:
    (found,) = near_duplicates(["Is VAT included?", "is vat, included"], threshold=0.8)

    assert found.similarity == 1.0


def test_other_numbers_make_another_question() -> None:
    assert pairs("What did we charge in 2024 for it?", "What did we charge in 2025 for it?") == []


def test_each_is_reported_once_with_an_earlier_one() -> None:
    text = "Which plan has single sign-on for teams"

    assert pairs(text, text + "?", text + "!") == [(0, 1), (0, 2)]


@pytest.mark.parametrize("texts", [(), ("one",), ("?", "!"), ("", "")])
def test_few_or_empty_texts_are_no_accident(texts: tuple[str, ...]) -> None:
    assert len(pairs(*texts)) <= 1


def noisy(count: int) -> tuple[list[str], list[str]]:
    draw = random.Random(3)
    words = ["".join(draw.choice("abcdefghijklmnop") for _ in range(7)) for _ in range(3000)]
    texts = [" ".join(draw.choice(words) for _ in range(9)) for _ in range(count)]
    return texts, [f"{text[:-1]}x" for text in texts]


def test_it_finds_what_comparing_each_with_each_finds() -> None:
    texts, changed = noisy(300)
    first, second = [list(map(grams, each)) for each in (texts, changed)]
    true = {
        (n, 300 + m)
        for n, one in enumerate(first)
        for m, two in enumerate(second)
        if jaccard(one, two) >= 0.8
    }

    assert len(true) >= 300
    assert set(pairs(*texts, *changed)) == true


def test_thousands_of_questions_are_compared_alike_or_not() -> None:
    texts, changed = noisy(2500)
    templates = [f"What is the capital of the country called {text[:9]}?" for text in texts]

    found = pairs(*texts, *changed)
    pairs(*templates, *templates)

    assert len(found) >= 2490


def test_many_questions_take_little_memory() -> None:
    texts = [f"How do I export the {place * 7919} rows of table {place}?" for place in range(8_000)]
    near_duplicates(texts[:10], threshold=0.8)  # what is loaded once

    tracemalloc.start()
    try:
        near_duplicates(texts, threshold=0.8)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4_000 * len(texts)  # three times as much where all grams are kept
