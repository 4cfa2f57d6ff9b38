"""A passage that was quoted is found again."""

from __future__ import annotations

from ragate.core.text.quoted_passages import holds, normalise, passage_hash
from ragate.models import Evidence


def test_layout_is_no_change_of_a_passage_and_words_are() -> None:
    page = "# Refunds\n\nRefunds end **30 days**\nafter the purchase.\n\nOther text."

    assert passage_hash("refunds end 30 days after the purchase.") == passage_hash(
        "> Refunds end `30 days`\n> after the  purchase."
    )
    assert holds(page, Evidence(quote="refunds end 30 days after the purchase"))
    assert not holds(page, Evidence(quote="Refunds end 31 days after the purchase"))
    assert normalise("5 < 3") != normalise("5 3")


def test_a_hash_alone_is_that_of_a_paragraph_or_of_the_whole_page() -> None:
    page = "One paragraph.\n\nAnother one."

    assert holds(page, Evidence(hash=passage_hash("another ONE.")))
    assert holds(page, Evidence(hash=passage_hash(page)))
    assert not holds(page, Evidence(hash=passage_hash("one.")))
