"""Statements and what they negate."""

from __future__ import annotations

import pytest

from ragate.core.text.statements import StatementSources, names, spells_out, statement, statements

PLAN = "The plan covers dental care for children. It does not cover cosmetic surgery."


def test_a_statement_knows_what_its_negation_is_about() -> None:
    one = statement("The plan does not cover cosmetic surgery.")

    assert one.content == ("plan", "cover", "cosmetic", "surgery")
    assert one.negated == (frozenset(one.content),)


def test_the_nearest_statement_holds_most_of_the_words() -> None:
    sources = StatementSources([PLAN])

    [dental] = statements("Dental care is covered for children.")
    nearest = sources.nearest(dental)
    assert nearest is not None
    assert "dental" in nearest.content
    assert sources.nearest(statement("Cheese prices doubled yesterday.")) is None


def test_a_word_that_denies_another_one_negates_it() -> None:
    source = statement("A late refund is possible in some shops.")

    assert not statement("A late refund is impossible in some shops.").agrees_with(source)
    assert statement("A refund is impossible.").agrees_with(statement("A refund is not possible."))
    assert statement("Nobody is unable to pay.").agrees_with(statement("Everybody pays in shops."))


def test_short_sentences_are_no_statements() -> None:
    assert statements("Yes. No. Of course not.") == ()


def test_negations_agree_where_they_are_about_the_same() -> None:
    source = statement("Dental care is covered, but cosmetic surgery is not covered abroad.")

    assert statement("Cosmetic surgery is not covered abroad.").agrees_with(source)
    assert statement("Dental care is covered at home.").agrees_with(source)
    assert not statement("Cosmetic surgery is covered abroad.").agrees_with(source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was built by Ada Lovelace in London.", ["ada", "lovelace", "london"]),
        ("Additionally, it works.", []),
        ("Berlin is large. I like Berlin.", ["berlin"]),
        ("New York is large.", ["new", "york"]),
        ("NATO met. The UN did not.", ["nato", "un"]),
        ("Note: The plan of Contoso.", ["contoso"]),
        ("- Item of Acme\n- **Bold** of Acme", ["acme"]),
        ("I think O'Brien and the U.S. did.", ["brien", "us"]),
        ("McDonald sells.", ["mcdonald"]),
        ("Das gilt für München und Sie.", ["münchen"]),
        ("Он живёт в Москве.", ["москве"]),
        ("no capitals at all", []),
    ],
)
def test_capitalised_terms_are_names_where_not_their_place_alone_capitalises_them(
    text: str, expected: list[str]
) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "short", "known"),
    [
        ("Wellington is the capital of New Zealand.", "nz", True),
        ("the mean sea surface temperature of the region", "sst", True),
        ("They sell new zips.", "nz", False),  # two letters ask for capitals
        ("Wellington is the capital of New Zealand.", "au", False),
    ],
)
def test_a_short_name_is_known_by_the_words_it_stands_for(
    text: str, short: str, known: bool
) -> None:
    assert spells_out(text, short) is known
