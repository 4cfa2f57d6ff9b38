"""Numbers beside their words."""

from __future__ import annotations

import pytest

from ragate.core.text.number_places import NumberSources, claimed_places

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

    assert NumberSources([FARES]).hold(claim) is held


def test_a_sign_for_a_unit_is_a_word() -> None:
    sources = NumberSources(["Rates: 5 % of members, $7 of members."])
    fits = [
        sources.hold(*claimed_places(text)) for text in ("It is 5 %.", "It is $5.", "It is $7.")
    ]

    assert fits == [True, False, True]
