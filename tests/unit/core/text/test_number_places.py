"""Numbers beside their words."""

from __future__ import annotations

import pytest

from ragate.core.text.number_places import NumberSources, claimed_places, without_values

FARES = "A ticket to Paris costs 40 euros. A ticket to Rome takes 15 hours and weighs 3 grams."


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        ("The ticket to Paris costs 40 euros.", True),
        ("It costs 40 euros to Paris.", True),
        ("The ticket to Paris costs 15 euros.", False),
        ("The ticket to Paris costs 99 euros.", False),
        ("15 hours", True),
        ("15", True),
    ],
)
def test_a_number_has_to_fit_the_words_around_it(answer: str, held: bool) -> None:
    [claim] = claimed_places(answer)

    assert NumberSources([FARES]).held([claim]) == [held]


def test_a_sign_for_a_unit_is_a_word() -> None:
    sources = NumberSources(["Rates: 5 % of members, $7 of members."])
    fits = [
        sources.held(claimed_places(text)) == [True]
        for text in ("It is 5 %.", "It is $5.", "It is $7.")
    ]

    assert fits == [True, False, True]


CLUB = "Lamar Hunt founded the club in 1959. He owned it until his death in 2006."


def test_two_numbers_of_an_answer_are_in_place_unless_they_fit_the_other_way_round() -> None:
    sources = NumberSources([CLUB])
    right = claimed_places("Lamar Hunt founded the club in 1959 and owned it until 2006.")
    wrong = claimed_places("Lamar Hunt founded the club in 2006 and owned it until 1959.")

    assert sources.held(right) == [True, True]
    assert sources.held(wrong) == [False, True]


def test_a_date_is_taken_from_no_place_but_that_of_a_date() -> None:
    sources = NumberSources(["PlayStation 3 was launched in Japan. It came on November 11, 2006."])

    assert sources.held(claimed_places("Launch of the PlayStation: 11 Nov. 2006")) == [True]


def test_a_version_has_no_unit_to_convert() -> None:
    sources = NumberSources(["It lies 3 miles away."])

    assert sources.held(claimed_places("It lies 1.2.3 km away.")) == [False]


@pytest.mark.parametrize("text", ["It takes 5 to 10 minutes.", "It costs $5 to 10."])
def test_both_ends_of_a_range_have_its_unit(text: str) -> None:
    first, second = claimed_places(text)

    assert first.measure.units
    assert first.measure.units == second.measure.units


def test_a_text_without_its_values_keeps_the_words_between_them() -> None:
    text = "It costs $5 and takes 10 minutes, in 3 rooms."

    assert without_values(text).split() == ["It", "costs", "and", "takes", ",", "in", "rooms."]


@pytest.mark.parametrize("text", ["12:30 - 5 hours", "from 11 Nov. 2006 to 5 hours"])
def test_a_time_or_date_before_an_amount_is_not_converted(text: str) -> None:
    sources = NumberSources(["It lasts 300 minutes."])

    assert sources.held(claimed_places(text)) == [False, True]
    assert NumberSources([text]).held(claimed_places("300 minutes")) == [True]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The desk is open 12:30 - 5 hours.", "It takes 720 minutes."),
        ("The desk is open 12:30 - 5 hours.", "It takes 1800 minutes."),
        ("Between 2024-05-01 - 5 days", "It takes 24 hours."),
    ],
)
def test_no_part_of_a_time_or_date_is_an_amount(text: str, claim: str) -> None:
    assert NumberSources([text]).held(claimed_places(claim)) == [False]
