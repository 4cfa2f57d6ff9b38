"""A passage that was quoted is found again."""

from __future__ import annotations

import pytest

from ragate.contrib.golden.quoted_passages import normalise
from tests.unit.core.text.test_time import PIECES, SIZE, seconds


def test_layout_is_no_change_of_a_passage_and_words_are() -> None:
    page = "# Refunds\n\nRefunds end **30 days**\nafter the purchase.\n\nOther text."

    assert normalise("> Refunds end `30 days`\n> after the  purchase.") in normalise(page)
    assert normalise("Refunds end 31 days after the purchase") not in normalise(page)
    assert normalise("5 < 3") != normalise("5 3")


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_page_of_four_times_the_length_takes_no_more_than_eight_times_as_long(piece: str) -> None:
    short = piece * (SIZE // len(piece))
    pairs = ((seconds(normalise, short * 4), seconds(normalise, short)) for _ in range(5))

    assert any(more < 8 * less + 0.02 for more, less in pairs)
