"""Grounding, citations and quotations by hand."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from ragate.models import ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import CLAIMS, answered, asked, score, value

MOON = "The Moon orbits the Earth at 384,400 km."


def silent_reason(name: str, output: SystemOutput) -> str:
    """Return why a metric does not speak about an output; a comparison decides what that means."""
    result = score(name, asked(), output)
    assert result.state is ScoreState.NOT_APPLICABLE
    return result.reason


def unscored_reason(name: str, output: SystemOutput) -> str:
    result = score(name, asked(), output)
    assert result.state is ScoreState.UNSCORED
    return result.reason


def test_lexical_support_is_the_share_of_supported_sentences() -> None:
    output = answered("The Moon orbits the Earth [1]. Cheese prices doubled yesterday.", MOON)

    assert value("lexical_support", asked(), output) == 1 / 2


def test_half_of_the_words_suffice_by_default_and_the_threshold_can_be_set() -> None:
    output = answered("Moon Earth cheese bread.", MOON)

    assert value("lexical_support", asked(), output) == 1.0
    assert value("lexical_support", asked(), output, settings={"threshold": 0.51}) == 0.0


def test_a_threshold_above_one_is_an_error() -> None:
    with pytest.raises(ConfigError, match="threshold"):
        value("lexical_support", asked(), answered("x", "x"), settings={"threshold": 1.5})


@pytest.mark.parametrize("name", ["lexical_support", "citation_coverage", "quote_fidelity"])
def test_without_any_chunk_nothing_is_supported(name: str) -> None:
    assert value(name, asked(), answered('It says "the moon is big" [1].')) == 0.0


@pytest.mark.parametrize("name", ["lexical_support", "unsupported_numbers", "quote_fidelity"])
def test_chunks_without_texts_cannot_be_checked(name: str) -> None:
    output = answered('It says "the moon is 42".', "", " ")

    assert unscored_reason(name, output) == "the retrieved chunks carry no text"


def test_a_number_of_no_context_and_not_of_the_question_is_unsupported() -> None:
    output = answered("1. In 1969 it was 384400 km away, or 238,855 miles [2].", MOON)

    assert value("unsupported_numbers", asked(query="How far in 1969?"), output) == 1 / 3
    assert value("unsupported_numbers", asked(), output) == 2 / 3


def test_numbers_without_any_context_are_all_unsupported() -> None:
    assert value("unsupported_numbers", asked(), answered("It is 42.")) == 1.0


def test_citations_resolve_to_chunks_by_number() -> None:
    output = answered("One [1]. Two [2, 3]. Three [0].", "a", "b")

    assert value("citation_validity", asked(), output) == 2 / 4


def test_the_systems_own_citations_come_before_markers() -> None:
    output = answered("One [1].", "a", citations=(1, 0))

    assert value("citation_validity", asked(), output) == 1 / 2


def test_coverage_counts_sentences_with_a_citation_that_resolves() -> None:
    output = answered("One [1]. Two is so. [2] Three [9]. Four", "a", "b")

    assert value("citation_coverage", asked(), output) == 2 / 4


def test_an_answer_without_markers_has_no_validity_and_no_coverage() -> None:
    output = answered("One. Two.", "a")

    assert silent_reason("citation_validity", output) == "no citations in the answer"
    assert value("citation_coverage", asked(), output) == 0.0


def test_coverage_cannot_place_citations_that_are_reported_apart() -> None:
    output = answered("One.", "a", citations=(1,))

    assert unscored_reason("citation_coverage", output) == "citations are not tied to sentences"


def test_a_quotation_must_stand_in_one_chunk_word_for_word() -> None:
    answer = (
        'It says "orbits the Earth at" and “The moon eats cheese” and "a b" and «the Moon, orbits»'
    )
    output = answered(answer, MOON, "cheese")

    assert value("quote_fidelity", asked(), output) == 2 / 3


def test_a_quotation_over_two_chunks_is_none() -> None:
    output = answered('"Earth is a planet"', "Earth", "is a planet")

    assert value("quote_fidelity", asked(), output) == 0.0


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("lexical_support", "?!", "no words in the answer"),
        ("citation_coverage", "?!", "no words in the answer"),
    ],
)
def test_an_answer_without_words_is_unscored(name: str, answer: str, reason: str) -> None:
    assert unscored_reason(name, answered(answer, MOON)) == reason


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("quote_fidelity", 'He said "no way".', "no quotes in the answer"),
        ("unsupported_numbers", "None at all [1].", "no numbers in the answer"),
    ],
)
def test_an_answer_with_nothing_to_check_is_left_out(name: str, answer: str, reason: str) -> None:
    assert silent_reason(name, answered(answer, MOON)) == reason


@pytest.mark.parametrize("name", CLAIMS)
def test_the_order_of_chunks_matters_only_to_citations(name: str) -> None:
    answer = 'It "orbits the Earth" at 384,400 km [1].'
    forward, backward = answered(answer, MOON, "cheese"), answered(answer, "cheese", MOON)

    assert value(name, asked(), forward) == value(name, asked(), backward)
