from __future__ import annotations

import pytest

from ragate.systems.pgvector.ranked_search import Hit
from ragate.systems.pgvector.transfer import share_found

RIGHT = [Hit("a", 0, 0.9), Hit("b", 0, 0.5), Hit("c", 0, 0.5)]


@pytest.mark.parametrize(
    ("near", "share"),
    [
        (RIGHT, 1.0),
        ([Hit("a", 0, 0.9), Hit("d", 0, 0.5), Hit("e", 0, 0.50001)], 1.0),
        ([Hit("a", 0, 0.9), Hit("b", 0, 0.5), Hit("f", 0, 0.4999)], 2 / 3),
        ([Hit("a", 0, 0.9)], 1 / 3),
        ([], 0.0),
    ],
)
def test_recall_counts_what_is_as_near_as_the_last_of_exact_search(
    near: list[Hit], share: float
) -> None:
    assert share_found(RIGHT, near) == pytest.approx(share)


def test_where_nothing_is_to_be_found_nothing_is_missed() -> None:
    assert share_found([], []) == 1.0
