"""Questions with their variants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.models import Direction, MetadataValue, Sample, ScoreState, SystemOutput
from ragate.protocols import Pair
from tests.unit.metrics.metric_factories import aggregate, answered, broken, make, retrieved


def question(name: str, output: SystemOutput, *, of: str = "", kind: str = "") -> Pair:
    named = {"variant_of": of, "variant": kind}
    metadata: dict[str, MetadataValue] = {key: value for key, value in named.items() if value}
    return Sample(id=name, query=name, references=("It is 42.",), metadata=metadata), output


ORIGINAL = question("q", answered("It is 42."))

OTHERS = (question("r", answered("Something else.")), question("s", retrieved("z")))

FAILED, OUT = broken("system"), broken("provider")

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


@given(answer=WORDS, others=st.lists(WORDS, max_size=4))
def test_a_system_that_answers_alike_is_consistent_whatever_it_says(
    answer: str, others: list[str]
) -> None:
    output = answered(answer)
    pairs = [question("q", output), question("q-2", output, of="q")]
    pairs += [question(f"o{n}", answered(text)) for n, text in enumerate(others)]

    assert aggregate(NAME, pairs).value == 1.0
    assert aggregate("variant_loss", pairs).value == 0.0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("ab", "ba", 1.0), ("ab", "bc", 1 / 3), ("aab", "a", 1 / 2), ("a", "b", 0.0), ("", "", 0.0)],
)
def test_documents_are_compared_as_sets(first: str, second: str, expected: float) -> None:
    pairs = [question("q", retrieved(*first)), question("q-2", retrieved(*second), of="q")]

    assert aggregate("retrieval_consistency", pairs).value == pytest.approx(expected)


def test_a_failure_finds_nothing_in_common() -> None:
    pairs = [question("q", FAILED), question("q-2", FAILED, of="q")]

    assert aggregate("retrieval_consistency", pairs).value == 0.0


def test_passages_that_the_golden_set_arranged_are_not_compared() -> None:
    sample, output = question("q-2", retrieved("z"), of="q")
    arranged = (sample.amended(arrange="distractors:1"), output)
    pairs = [question("q", retrieved("a")), question("q-3", retrieved("a"), of="q"), arranged]

    assert aggregate("retrieval_consistency", pairs).value == 1.0
    alone = aggregate("retrieval_consistency", [pairs[0], arranged])
    assert alone.state is ScoreState.NOT_APPLICABLE


def test_it_is_the_score_without_minus_the_score_with() -> None:
    pairs = [
        ORIGINAL,
        question("q-2", answered("Dogs bark."), of="q"),
        question("q-3", answered("It is 42."), of="q"),
    ]

    assert aggregate("variant_loss", pairs).value == 0.5
    assert aggregate("variant_loss", pairs, settings={"of": "number_recall"}).value == 0.5


def test_variants_that_do_better_are_a_gain() -> None:
    pairs = [question("q", FAILED), question("q-2", answered("It is 42."), of="q")]

    assert aggregate("variant_loss", pairs).value == -1.0
    assert make("variant_loss").info.direction is Direction.LOWER


def test_a_question_without_a_reference_is_left_out() -> None:
    bare = (ORIGINAL[0].amended(references=()), ORIGINAL[1])

    result = aggregate("variant_loss", [bare, question("q-2", answered("It is 42."), of="q")])

    assert result.state is ScoreState.UNSCORED
    assert result.reason == "no reference answer"


def test_a_metric_that_it_does_not_know_is_an_error() -> None:
    with pytest.raises(ConfigError, match="of = 'faithfulness'"):
        make("variant_loss", settings={"of": "faithfulness"})
