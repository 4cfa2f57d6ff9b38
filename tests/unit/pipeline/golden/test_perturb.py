"""Questions written otherwise without a model."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.pipeline.golden.vary import PERTURBATIONS, case, typos, word_order

QUERY = "How do I reset the password of user_42 on the P-100 pump?"


@given(st.integers())
def test_a_typo_spares_numbers_names_with_signs_and_first_letters(seed: int) -> None:
    typed = typos(QUERY, random.Random(seed))

    assert typed != QUERY
    old, new = QUERY.split(), typed.split()
    assert len(old) == len(new)
    for before, after in zip(old, new, strict=True):
        assert after[0] == before[0]
        if before in {"How", "do", "user_42", "P-100", "pump?"[:0]}:
            assert after == before
    assert sum(a != b for a, b in zip(old, new, strict=True)) <= 3


@pytest.mark.parametrize("query", ["API v2?", "a 1-2_3/4", "", "¿qué?", "SELECT JOIN"])
def test_where_there_is_no_plain_word_nothing_is_mistyped(query: str) -> None:
    assert typos(query, random.Random(1)) == query


def test_case_is_small_and_of_small_letters_large() -> None:
    assert case("How DO I?", random.Random(1)) == "how do i?"
    assert case("how do i?", random.Random(1)) == "HOW DO I?"
    assert case("1 + 2", random.Random(1)) == "1 + 2"


@given(st.integers())
def test_word_order_keeps_every_word_and_the_mark_at_the_end(seed: int) -> None:
    turned = word_order(QUERY, random.Random(seed))

    assert turned != QUERY
    assert turned.endswith("?")
    assert Counter(turned[:-1].split()) == Counter(QUERY[:-1].split())


def test_two_words_have_no_other_order() -> None:
    assert word_order("office hours?", random.Random(1)) == "office hours?"


@given(st.sampled_from(sorted(PERTURBATIONS)), st.text(max_size=60), st.integers())
def test_the_same_seed_gives_the_same_of_any_text(kind: str, query: str, seed: int) -> None:
    perturb = PERTURBATIONS[kind]

    assert perturb(query, random.Random(seed)) == perturb(query, random.Random(seed))
