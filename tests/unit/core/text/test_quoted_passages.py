"""A passage that was quoted is found again."""

from __future__ import annotations

from ragate.core.text.quoted_passages import normalise


def test_layout_is_no_change_of_a_passage_and_words_are() -> None:
    page = "# Refunds\n\nRefunds end **30 days**\nafter the purchase.\n\nOther text."

    assert normalise("> Refunds end `30 days`\n> after the  purchase.") in normalise(page)
    assert normalise("Refunds end 31 days after the purchase") not in normalise(page)
    assert normalise("5 < 3") != normalise("5 3")
