"""Texts that end, and texts that were cut off."""

from __future__ import annotations

import pytest

from ragate.core.text.endings import cut_off

WHOLE = [
    "Refunds end after 30 days.",
    "Refunds end after 30 days [1].",
    "Refunds end after 30 days [1]",
    "Refunds end [here](https://example.org/refunds)",
    "See https://example.org/refunds",
    'He said "it ends."',
    "**It ends.**",
    "It ends! 🎉",
    "It ends.\n\nBest regards",
    "Paris",
    "42 days",
    "返金は三十日で終わります。",
    "हाँ, यह समाप्त होता है।",
    "نعم، هل ينتهي؟",
    "การคืนเงินสิ้นสุดภายในสามสิบวันหลังจากวันที่ซื้อ",
    "- Pay the bill in the shop\n- Ship the box to the shop today",
    "Steps:\n1. Pay.\n2. Ship the box.",
    "Run:\n```\nragate check\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a | b\n--|--\n1 | 2",
    "Price: 40 euros for each night\nDeposit: 200 euros paid on arrival",
    "Price: 40 euros, 20 euros, 15 euros, 5 euros, 1 euro",
    "Price\n: 40 euros for each night",
    "<p>It lasts for</p><ul><li>40 days</li></ul>",
    "",
]
CUT = [
    "Refunds end after 30 days for all of the",
    "Refunds end after 30 days and orders of",
    "Refunds end after 30 days, but",
    "Refunds end:",
    "Refunds end after...",
    "Refunds end (and",
    "Note: the refunds of orders that were shipped to other countries",
    "<p>Refunds end after the",
    "Refunds end. Orders that were shipped to other",
    "返金は三十日で終わります。それから",
    "- Pay the bill.\n- Ship the box to",
    "- Pay the bill\n- Ship the box to the",
    "Run:\n```\nragate check",
    "| a | b |\n|---|---|\n| 1 | 2",
    "Refunds end.\n\n## Orders",
]


@pytest.mark.parametrize("text", WHOLE)
def test_what_ends_is_whole(text: str) -> None:
    assert cut_off(text) == ""


@pytest.mark.parametrize("text", CUT)
def test_what_does_not_end_was_cut_off(text: str) -> None:
    assert cut_off(text) != ""


def test_a_footnote_of_a_long_word_is_read_at_once() -> None:
    assert cut_off(f"[^1]: {'a' * 300}{' b' * 9} the") == "it ends with 'the'"


def test_a_list_of_sources_behind_an_end_cuts_nothing() -> None:
    assert cut_off("It ends [1].\n\n**Sources**\n[1] guide.pdf, p. 3") == ""
    assert cut_off("It was paid by the [1].\n\n**Sources**\n[1] guide.pdf, p. 3") == ""
    assert cut_off("It was paid by the\n\n**Sources**\n[1] guide.pdf, p. 3") != ""


def test_a_reason_says_where_it_stops() -> None:
    assert cut_off("It was paid by the customers who") == "it ends with 'who'"
    assert cut_off("Paid:\n```\nx") == "a block of code is open"
