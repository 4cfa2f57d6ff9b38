"""Grounding, citations and quotations by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.text.number_places import NumberPlace, claimed_places
from ragate.errors import ConfigError
from ragate.models import Direction, ScoreState, SystemOutput
from ragate.protocols import Metric
from tests.unit.metrics.metric_factories import (
    CLAIMS,
    answered,
    asked,
    broken,
    make,
    metric,
    score,
    value,
)

MOON = "The Moon orbits the Earth at 384,400 km."


def reason_of(name: str, output: SystemOutput) -> str:
    """Return what a metric says beside the value of an output that holds nothing to check."""
    result = score(name, asked(), output)
    assert result.state is ScoreState.VALUE
    return result.reason


def checked(name: str, output: SystemOutput) -> float | None:
    """Return what is counted beside a metric on a part of an answer."""
    column: Metric = make(name).checked
    [result] = column.score_samples([(asked(), output)])
    return result.value


def unscored_reason(name: str, output: SystemOutput) -> str:
    result = score(name, asked(), output)
    assert result.state is ScoreState.UNSCORED
    return result.reason


def test_lexical_support_is_the_share_of_supported_sentences() -> None:
    output = answered("The Moon orbits the Earth [1]. Cheese prices doubled yesterday.", MOON)

    assert value("lexical_support", asked(), output) == 1 / 2


def test_four_of_five_words_suffice_by_default_and_the_threshold_can_be_set() -> None:
    output = answered("The Moon orbits Earth cheese.", MOON)

    assert value("lexical_support", asked(), output) == 1.0
    assert value("lexical_support", asked(), output, settings={"threshold": 0.81}) == 0.0


def test_a_threshold_above_one_is_an_error() -> None:
    with pytest.raises(ConfigError, match="threshold"):
        value("lexical_support", asked(), answered("x", "x"), settings={"threshold": 1.5})


@pytest.mark.parametrize("name", ["lexical_support", "citation_coverage", "quote_fidelity"])
def test_without_any_chunk_nothing_is_supported(name: str) -> None:
    assert value(name, asked(), answered('It says "the moon is big" [1].')) == 0.0


@pytest.mark.parametrize(
    "name",
    [
        "lexical_support",
        "unsupported_numbers",
        "quote_fidelity",
        "entity_support",
        "number_unit_support",
        "word_precision",
    ],
)
def test_chunks_without_texts_cannot_be_checked(name: str) -> None:
    output = answered('It says "the moon is 42" of Earth.', "", " ")

    assert unscored_reason(name, output) == "the retrieved chunks carry no text"


def test_a_number_of_no_context_and_not_of_the_question_is_unsupported() -> None:
    output = answered("1. In 1969 it was 384400 km away, or 238,855 miles [2].", MOON)

    assert value("unsupported_numbers", asked(query="How far in 1969?"), output) == 0.0
    assert value("unsupported_numbers", asked(), output) == 1 / 3


def test_numbers_without_any_context_are_all_unsupported() -> None:
    assert value("unsupported_numbers", asked(), answered("It is 42.")) == 1.0


def test_citations_resolve_to_chunks_by_number() -> None:
    output = answered("One [1]. Two [2, 3]. Three [0].", "a", "b")

    assert value("citation_validity", asked(), output) == 2 / 4


def test_the_systems_own_citations_come_before_markers() -> None:
    output = answered("One [1].", "a", citations=(1, 0))

    assert value("citation_validity", asked(), output) == 1 / 2


def test_a_sentence_is_supported_from_four_fifths_of_its_words() -> None:
    four, three = answered("red green blue grey x.", "red green blue grey"), "red green blue"

    assert value("lexical_support", asked(), four) == 1.0
    assert value("lexical_support", asked(), answered("red green blue x.", three)) == 0.0


def test_numbers_of_list_items_belong_to_no_claim() -> None:
    output = answered("So:\n1. It costs 15 euros.\n2) It is paid.", "It costs 15 euros.")

    assert value("number_unit_support", asked(), output) == 1.0
    assert value("unsupported_numbers", asked(), output) == 0.0


def test_small_letters_behind_full_stops_do_not_raise_coverage() -> None:
    output = answered("it is paid. it takes two days. the rest follows. the shop closes [1].", "a")

    assert value("citation_coverage", asked(), output) == 1 / 4


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fence_that_nothing_closes_does_not_raise_coverage(fence: str) -> None:
    text = "One. Two. Three. Four [1]."

    for answer in (text, f"{fence}\n{text}", f"{fence}python\n{text}\n\n"):
        assert value("citation_coverage", asked(), answered(answer, "a")) == 1 / 4


def test_coverage_counts_sentences_with_a_citation_that_resolves() -> None:
    output = answered("One [1]. Two is so. [2] Three [9]. Four", "a", "b")

    assert value("citation_coverage", asked(), output) == 2 / 4


def test_an_answer_without_markers_cites_nothing_wrong_and_covers_nothing() -> None:
    output = answered("One. Two.", "a")

    assert value("citation_validity", asked(), output) == 1.0
    assert reason_of("citation_validity", output) == "no citations in the answer"
    assert value("citation_coverage", asked(), output) == 0.0


def test_citations_that_are_reported_apart_cover_no_sentence() -> None:
    assert value("citation_coverage", asked(), answered("One.", "a", citations=(1,))) == 0.0


def test_a_quotation_must_stand_in_one_chunk_word_for_word() -> None:
    answer = (
        'It says "orbits the Earth at" and “The moon eats cheese” and "a b" and «the Moon, orbits»'
    )
    output = answered(answer, MOON, "cheese")

    assert value("quote_fidelity", asked(), output) == 2 / 3


def test_a_quotation_over_two_chunks_is_none() -> None:
    output = answered('"Earth is a planet"', "Earth", "is a planet")

    assert value("quote_fidelity", asked(), output) == 0.0


@pytest.mark.parametrize("name", ["lexical_support", "citation_coverage"])
def test_an_answer_without_words_has_no_supported_sentence(name: str) -> None:
    assert value(name, asked(), answered("?!", MOON)) == 0.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Moon orbits the Earth.", 1.0),
        ("The Moon orbits Jupiter.", 1 / 2),
        ("A lunar body orbits Saturn and Jupiter.", 0.0),
        ("the moon orbits jupiter", 2 / 3),
    ],
)
def test_names_have_to_stand_in_contexts_or_question(answer: str, expected: float) -> None:
    assert value("entity_support", asked(query="What orbits?"), answered(answer, MOON)) == expected


def test_a_name_of_the_question_and_an_inflected_one_are_supported() -> None:
    question = asked(query="Is Jupiter near?")

    assert value("entity_support", question, answered("It is Jupiter.", MOON)) == 1.0
    assert value("entity_support", asked(), answered("It is Earths.", MOON)) == 1.0


def test_in_a_script_without_capitals_all_words_of_content_are_names() -> None:
    context = "月は地球を回る。"

    assert value("entity_support", asked(), answered("月は地球を回る", context)) == 1.0
    assert value("entity_support", asked(), answered("火星は木星を回る", context)) < 0.5


def test_a_number_has_to_stand_with_its_words() -> None:
    context = "The Moon is 384,400 km away. The trip takes 3 days."

    assert value("number_unit_support", asked(), answered("It takes 3 days.", context)) == 1.0
    assert value("number_unit_support", asked(), answered("It takes 384,400 days.", context)) == 0.0
    assert value("number_unit_support", asked(), answered("It takes three days.", context)) == 1.0


def test_a_negation_has_to_stand_in_the_nearest_sentence_too() -> None:
    context = "The plan covers dental care for children. It does not cover cosmetic surgery."

    for answer, expected in (
        ("Dental care for children is covered by the plan.", 1.0),
        ("Dental care for children is not covered by the plan.", 0.0),
        ("Cosmetic surgery isn't covered.", 1.0),
        ("It covers cosmetic surgery.", 0.0),
    ):
        assert value("polarity", asked(), answered(answer, context)) == expected


def test_word_precision_is_the_share_of_content_words_in_the_contexts() -> None:
    output = answered("The Moon orbits a cheese 99 times.", MOON)

    assert value("word_precision", asked(), output) == 2 / 4
    assert value("word_precision", asked(), answered("It is so.", MOON)) == 1.0


PARTS = [
    ("entity_support", "It is so.", "no names in the answer", "It orbits the Earth."),
    ("number_unit_support", "One of them [1].", "no numbers in the answer", "It is eight."),
    (
        "polarity",
        "Cheese prices doubled yesterday.",
        "no sentences near one of a context in the answer",
        "The Moon orbits the Earth.",
    ),
    ("quote_fidelity", 'He said "no way".', "no quotes in the answer", 'It "orbits the Earth".'),
    ("unsupported_numbers", "One of them [1].", "no numbers in the answer", "It is eight."),
    ("citation_validity", "It is 8.", "no citations in the answer", "It is so [9]."),
]


@pytest.mark.parametrize(("name", "without", "reason", "with_it"), PARTS)
def test_an_answer_with_nothing_to_check_has_the_best_value_and_is_counted_apart(
    name: str, without: str, reason: str, with_it: str
) -> None:
    best = 0.0 if metric(name).info.direction is Direction.LOWER else 1.0

    assert value(name, asked(), answered(without, MOON)) == best
    assert reason_of(name, answered(without, MOON)) == reason
    assert checked(name, answered(without, MOON)) == 0.0
    assert checked(name, answered(with_it, MOON)) == 1.0


@pytest.mark.parametrize("name", [name for name, *_ in PARTS])
def test_a_failed_answer_held_nothing_and_a_providers_failure_is_not_known(name: str) -> None:
    assert checked(name, broken()) == 0.0
    assert checked(name, broken("provider")) is None


def test_a_number_in_words_is_supported_by_digits_and_a_false_one_is_not() -> None:
    context = "It orbits 8 times."

    assert value("unsupported_numbers", asked(), answered("eight times", context)) == 0.0
    assert value("unsupported_numbers", asked(), answered("nine times", context)) == 1.0


@pytest.mark.parametrize("name", sorted({*CLAIMS} - {"citation_support"}))
def test_the_order_of_chunks_matters_only_to_citations(name: str) -> None:
    answer = 'It "orbits the Earth" at 384,400 km [1].'
    forward, backward = answered(answer, MOON, "cheese"), answered(answer, "cheese", MOON)

    assert value(name, asked(), forward) == value(name, asked(), backward)


@pytest.mark.parametrize("name", [n for n in CLAIMS if n != "citation_validity"])
def test_phrases_of_courtesy_can_be_added(name: str) -> None:
    settings = {"more_courtesy": ["Greetings from Contoso on day 7"]}
    plain = value(name, asked(), answered("The Moon orbits the Earth [1].", MOON))
    polite = answered("Greetings from Contoso on day 7! The Moon orbits the Earth [1].", MOON)

    assert value(name, asked(), polite, settings=settings) == plain


PORTS = ("The port is 5432 by default.", "Refunds end after thirty days.", "Ask the shop.")


def test_a_citation_is_supported_where_no_other_passage_fits_as_well() -> None:
    right = answered("The port is 5432 [1]. Refunds end after thirty days [2].", *PORTS)
    moved = answered("The port is 5432 [3]. Refunds end after thirty days [2].", *PORTS)
    beyond = answered("The port is 5432 [1]. Refunds end after thirty days [7].", *PORTS)

    assert value("citation_support", asked(), right) == 1.0
    assert value("citation_support", asked(), moved) == 1 / 2
    assert value("citation_support", asked(), beyond) == 1 / 2


def test_what_the_only_passage_does_not_hold_is_not_supported_by_it() -> None:
    output = answered("Cheese prices doubled yesterday [1].", PORTS[0])

    assert value("citation_support", asked(), output) == 0.0


def test_reported_citations_are_of_the_whole_answer() -> None:
    output = answered("Refunds end after thirty days.", *PORTS, citations=(2, 3))

    assert value("citation_support", asked(), output) == 1 / 2


def test_an_answer_that_cites_nothing_is_counted() -> None:
    output = answered("The port is 5432.", *PORTS)

    assert reason_of("citation_support", output) == "no citations in the answer"
    assert checked("citation_support", output) == 0.0


def test_claims_of_an_answer_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(text: str) -> tuple[NumberPlace, ...]:
        read.append(text)
        return claimed_places(text)

    monkeypatch.setattr("ragate.metrics.grounding.claimed_places", noted)
    made: Any = make("number_unit_support")
    pairs = [(asked(), answered("It costs 5 euros.", "5 euros"))]
    made.score_samples(pairs)
    made.checked.score_samples(pairs)

    assert read == ["It costs 5 euros."]
