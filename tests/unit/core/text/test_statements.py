"""Statements and what they negate."""

from __future__ import annotations

from ragate.core.text.statements import StatementSources, statement, statements

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


def test_short_sentences_are_no_statements() -> None:
    assert statements("Yes. No. Of course not.") == ()


def test_negations_agree_where_they_are_about_the_same() -> None:
    source = statement("Dental care is covered, but cosmetic surgery is not covered abroad.")

    assert statement("Cosmetic surgery is not covered abroad.").agrees_with(source)
    assert statement("Dental care is covered at home.").agrees_with(source)
    assert not statement("Cosmetic surgery is covered abroad.").agrees_with(source)
