"""The metrics against a reference by hand."""

from __future__ import annotations

import pytest

from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import (
    REFERENCE,
    answered,
    asked,
    metric,
    score,
    value,
)


@pytest.mark.parametrize(
    ("name", "answer", "reference", "expected"),
    [
        ("exact_match", "The  Paris!", "paris", 1.0),
        ("exact_match", "Paris, France", "Paris", 0.0),
        ("exact_match", "A", "B", 0.0),
        ("exact_match", "“Paris”", "'Paris'", 1.0),
        ("contains", "It is Paris, in France.", "paris", 1.0),
        ("contains", "It is the comparison.", "Paris", 0.0),
        ("contains", "Paris", "Paris, France", 0.0),
        ("token_f1", "the cat sat sat", "a cat sat down", 2 * 2 / (3 + 3)),
        ("token_f1", "dog", "cat", 0.0),
        ("rouge_l", "police kill the gunman", "police killed the gunman", 3 / 4),
        ("rouge_l", "a b c d", "d c b a", 1 / 4),
        ("rouge_l", "!!!", "word", 0.0),
        ("char_3gram_recall", "abcd", "abcx", 1 / 2),
        ("char_3gram_recall", "what 42 is", "42", 1.0),
        ("char_3gram_recall", "ab", "abc", 0.0),
        ("number_recall", "6000 people, 50%", "6,000 of them, 50 percent, in 1999", 2 / 3),
        ("number_recall", "none", "42", 0.0),
        ("idf_f1", "cat dog", "cat bird", 1 / 2),
        ("idf_f1", "...", "cat", 0.0),
    ],
)
def test_an_answer_is_scored_by_the_formula(
    name: str, answer: str, reference: str, expected: float
) -> None:
    assert value(name, asked(reference), answered(answer)) == pytest.approx(expected)


@pytest.mark.parametrize("name", REFERENCE)
def test_the_best_reference_counts(name: str) -> None:
    sample = asked("nothing like it, 7", "It costs 42 euros")

    assert value(name, sample, answered("It costs 42 euros")) == 1.0


@pytest.mark.parametrize("name", REFERENCE)
def test_citation_markers_cost_nothing(name: str) -> None:
    sample = asked("It costs 42 euros")

    assert value(name, sample, answered("It costs 42 euros [1][2, 3].")) == 1.0


@pytest.mark.parametrize("name", [name for name in REFERENCE if name != "number_recall"])
def test_a_refusal_of_an_answerable_question_is_scored_like_any_answer(name: str) -> None:
    assert value(name, asked("42 euros"), answered("I don't know.")) < 0.2


@pytest.mark.parametrize("name", [name for name in REFERENCE if name != "number_recall"])
def test_scripts_without_spaces_are_compared_by_character(name: str) -> None:
    assert value(name, asked("東京都"), answered("東京都。")) == 1.0


def test_token_f1_sees_a_part_of_a_word_in_a_script_without_spaces() -> None:
    assert value("token_f1", asked("東京"), answered("東京都")) == pytest.approx(0.8)


def test_number_recall_speaks_only_of_references_with_numbers() -> None:
    assert score("number_recall", asked("none"), answered("1")).state is ScoreState.NOT_APPLICABLE
    assert value("number_recall", asked("none", "42"), answered("none")) == 0.0


def test_a_marker_is_not_taken_for_a_number() -> None:
    assert value("number_recall", asked("it is 3"), answered("It is so [3].")) == 0.0


def test_a_number_in_words_is_the_number_in_digits() -> None:
    assert value("number_recall", asked("8 times in 21 days"), answered("eight, twenty-one")) == 1.0


def test_a_one_by_itself_confirms_a_1_and_asks_for_none() -> None:
    assert value("number_recall", asked("1 of 2"), answered("one of two")) == 1.0
    assert score("number_recall", asked("one of them"), answered("x")).reason


def test_rare_words_weigh_more_than_common_ones() -> None:
    samples = [asked("the mass of the moon"), asked("the age of the sun"), asked("the size of it")]
    weighted = metric("idf_f1", samples=samples)
    rare, common = weighted.score_samples(
        [(samples[0], answered("mass moon")), (samples[0], answered("the of"))]
    )

    assert rare.value is not None
    assert common.value is not None
    assert rare.value > common.value + 0.2


def test_a_new_question_shifts_no_score_once_the_table_is_stored() -> None:
    old = [asked("the mass of the moon"), asked("the age of the sun")]
    first = metric("idf_f1", samples=old)
    again = metric("idf_f1", samples=[*old, asked("moon moon sun")], state=first.state)
    pairs = [(old[0], answered("moon mass, sun"))]

    assert again.score_samples(pairs) == first.score_samples(pairs)
    assert again.state == first.state
    assert metric("idf_f1", samples=[*old, asked("moon")]).score_samples(pairs) != (
        first.score_samples(pairs)
    )


def test_the_table_holds_counts_of_words_in_more_than_one_sample() -> None:
    samples = [asked("the moon", "The Moon"), asked("the sun"), asked()]

    assert metric("idf_f1", samples=samples).state == {"": 2.0, "the": 2.0}


def test_only_idf_f1_has_a_state() -> None:
    assert [name for name in REFERENCE if metric(name, samples=[asked("a")]).state] == ["idf_f1"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is Paris.", 1.0),
        ("The capital of France is what you ask for.", 0.0),
        ("It is Rome, I think, or maybe Paris in summer.", 1.0),
    ],
)
def test_reference_recall_leaves_out_what_the_question_says(answer: str, expected: float) -> None:
    sample = asked("The capital of France is Paris.", query="What is the capital of France?")

    assert value("reference_recall", sample, answered(answer)) == expected


def test_a_reference_of_the_questions_words_alone_is_asked_for_whole() -> None:
    sample = asked("tea", query="Do you drink tea or coffee?")

    assert value("reference_recall", sample, answered("Tea.")) == 1.0
    assert value("reference_recall", sample, answered("Coffee.")) == 0.0


def test_reference_recall_reads_number_words() -> None:
    assert value("reference_recall", asked("eight legs"), answered("8 legs")) == 1.0
