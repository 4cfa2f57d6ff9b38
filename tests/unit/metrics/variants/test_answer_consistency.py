"""answer_consistency by hand, and what all metrics of variants leave out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import aggregate, answered, retrieved
from tests.unit.metrics.variants.variant_pairs import FAILED, ORIGINAL, OTHERS, OUT, question

NAME = "answer_consistency"
EVERY = (NAME, "retrieval_consistency", "variant_loss")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("It is 42.", "It is 42 [1].", 1.0),
        ("It is 42.", "42 it is!", 1.0),
        ("It is 42.", "It is 43.", 4 / 6),
        ("It is 42.", "Dogs bark.", 0.0),
        ("I don't know.", "I cannot answer this.", 1.0),
        ("I don't know.", "It is 42.", 0.0),
    ],
)
def test_answers_are_compared_by_words_and_refusals_as_refusals(
    first: str, second: str, expected: float
) -> None:
    pairs = [question("q", answered(first)), question("q-2", answered(second), of="q"), *OTHERS]

    assert aggregate(NAME, pairs).value == pytest.approx(expected)
    swapped = [question("q", answered(second)), question("q-2", answered(first), of="q")]
    assert aggregate(NAME, swapped).value == pytest.approx(expected)


def test_a_failure_is_no_consistent_answer() -> None:
    assert aggregate(NAME, [ORIGINAL, question("q-2", FAILED, of="q")]).value == 0.0
    both = [question("q", FAILED), question("q-2", FAILED, of="q")]
    assert aggregate(NAME, both).value == 0.0


def test_the_kind_of_variants_is_a_key() -> None:
    pairs = [
        ORIGINAL,
        question("q-2", answered("It is 42."), of="q", kind="paraphrase"),
        question("q-3", answered("Dogs bark."), of="q", kind="distractors"),
    ]

    assert aggregate(NAME, pairs).value == 0.5
    assert aggregate(NAME, pairs, settings={"variant": "paraphrase"}).value == 1.0
    other = aggregate(NAME, pairs, settings={"variant": "typos"})
    assert other.state is ScoreState.NOT_APPLICABLE
    assert other.reason == "no sample is a variant of the kind 'typos'"


@pytest.mark.parametrize("name", EVERY)
def test_without_variants_it_does_not_apply(name: str) -> None:
    assert aggregate(name, [ORIGINAL, *OTHERS]).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", EVERY)
def test_a_variant_that_cannot_be_compared_is_left_out_and_counted(name: str) -> None:
    same = ORIGINAL[1].amended(chunks=retrieved("a").chunks)
    original = (ORIGINAL[0], same)
    pairs = [original, question("q-2", same, of="q"), question("q-3", same, of="gone")]
    alone = [question("q-2", same, of="gone")]

    result = aggregate(name, pairs)

    assert result.state is ScoreState.VALUE
    assert result.reason == "1 of 2 variants left out: gone was not asked"
    assert aggregate(name, alone).state is ScoreState.UNSCORED
    assert aggregate(name, alone).reason == "gone was not asked"


@pytest.mark.parametrize("name", EVERY)
def test_a_mean_of_what_came_through_is_no_value(name: str) -> None:
    same = ORIGINAL[1].amended(chunks=retrieved("a").chunks)
    variants = [question(f"q-{number}", OUT, of="q") for number in range(19)]
    pairs = [(ORIGINAL[0], same), question("q-20", same, of="q"), *variants]
    no_original = [question("q", OUT), question("q-2", same, of="q")]

    assert aggregate(name, pairs).state is ScoreState.UNSCORED
    assert aggregate(name, pairs).reason == "19 of 20 variants not measured: provider: it broke"
    assert aggregate(name, no_original).state is ScoreState.UNSCORED


def test_without_answers_nothing_is_compared() -> None:
    pairs = [question("q", retrieved("a")), question("q-2", retrieved("a"), of="q")]

    assert aggregate(NAME, pairs).reason == "no answer was asked for"


WORDS = st.lists(st.sampled_from(["moon", "sun", "42", "orbits"]), min_size=1).map(" ".join)


@settings(deadline=None, max_examples=50)
@given(answer=WORDS, others=st.lists(WORDS, max_size=4))
def test_a_system_that_answers_alike_is_consistent_whatever_it_says(
    answer: str, others: list[str]
) -> None:
    output = answered(answer)
    pairs = [question("q", output), question("q-2", output, of="q")]
    pairs += [question(f"o{n}", answered(text)) for n, text in enumerate(others)]

    assert aggregate(NAME, pairs).value == 1.0
    assert aggregate("variant_loss", pairs).value == 0.0
