"""Passages in another order, and distractors between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.arrangement import distractors_wanted, in_order, spread


def test_reversed_is_the_other_way_round_and_nothing_is_as_it_was() -> None:
    assert in_order("abc", "reversed", key="q") == ("c", "b", "a")
    assert in_order("abc", "", key="q") == ("a", "b", "c")


@given(st.integers(2, 30), st.text())
def test_shuffled_is_the_same_every_time_and_never_the_old_order(count: int, key: str) -> None:
    order = in_order(range(count), "shuffled", key=key)

    assert order == in_order(range(count), "shuffled", key=key)
    assert sorted(order) == list(range(count))
    assert list(order) != list(range(count))


def test_two_questions_are_shuffled_differently() -> None:
    assert len({in_order(range(10), "shuffled", key=str(n)) for n in range(5)}) == 5


@pytest.mark.parametrize(
    ("passages", "distractors", "expected"),
    [("abcd", "xy", "axbcyd"), ("ab", "x", "axb"), ("a", "xy", "xay"), ("", "xy", "xy")],
)
def test_distractors_stand_at_even_distances(
    passages: str, distractors: str, expected: str
) -> None:
    assert "".join(spread(passages, distractors)) == expected


@given(st.integers(0, 40), st.integers(1, 40))
def test_no_passage_is_lost_and_their_order_stays(passages: int, distractors: int) -> None:
    mixed = spread(range(passages), range(-distractors, 0))

    assert [one for one in mixed if one >= 0] == list(range(passages))
    assert [one for one in mixed if one < 0] == list(range(-distractors, 0))


def test_only_distractors_have_a_number() -> None:
    assert [distractors_wanted(one) for one in ("distractors:3", "reversed", "")] == [3, 0, 0]
