"""Results held against the right ones."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.calls.results import MOST_RESULTS, Tolerance, difference, why_unequal
from ragate.models import CallResult, Executed


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (1.0000001, 1),
        ({"a": [1, {"b": 2.0}]}, {"a": [1, {"b": 2}]}),
        ({"a": 1, "at": "now"}, {"a": 1, "at": "then"}),
        (None, None),
    ],
)
def test_values_within_the_tolerance_are_equal(given: Any, right: Any) -> None:
    assert difference(given, right, Tolerance(ignored={"at"})) == ""


@pytest.mark.parametrize(
    ("given", "right", "told"),
    [
        (1.1, 1, "the result is 1.1, and 1 is right"),
        (True, 1, "the result is True, and 1 is right"),
        ("1", 1, "the result is '1', and 1 is right"),
        ("a", "A", "the result is 'a', and 'A' is right"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b is 1, and 2 is right"),
        ({"a": 1}, {}, "a is not expected"),
        ({}, {"a": 1}, "a is missing"),
        ([1, 2], [2, 1], "0 is 1, and 2 is right"),
        ([1], [1, 2], "the result has 1 items, and 2 are right"),
        ([], {}, "the result is [], and {} is right"),
    ],
)
def test_the_first_difference_is_told(given: Any, right: Any, told: str) -> None:
    assert difference(given, right, Tolerance()) == told


def test_whole_numbers_beyond_every_float_are_compared_as_well() -> None:
    huge = 10**400

    assert difference(huge, 1.5, Tolerance()).endswith("and 1.5 is right")
    assert difference(huge + 1, huge, Tolerance()) == ""
    assert difference(2 * huge, huge, Tolerance(relative=0.1)) != ""


def test_more_results_than_can_be_carried_out_are_not_right_and_not_looked_at() -> None:
    many = (CallResult(value=1),) * (MOST_RESULTS + 1)

    for executed in (Executed(made=many, expected=many), Executed(made=many)):
        assert "more than 1000 are not compared" in why_unequal(executed, Tolerance())


def test_the_tolerance_may_be_absolute() -> None:
    assert difference(0.4, 0, Tolerance(absolute=0.5)) == ""
    assert difference(102, 100, Tolerance(relative=0.05)) == ""


@pytest.mark.parametrize(
    ("made", "right", "told"),
    [
        ((1, 2), (2, 1), ""),
        ((1,), (1, 1), "1 results, and 2 are right"),
        ((1, 1), (1,), "2 results, and 1 are right"),
        ((1, 3), (1, 2), "the result is 3, and 2 is right"),
    ],
)
def test_results_count_in_any_order(
    made: tuple[int, ...], right: tuple[int, ...], told: str
) -> None:
    executed = Executed(
        made=tuple(CallResult(value=value) for value in made),
        expected=tuple(CallResult(value=value) for value in right),
    )

    assert why_unequal(executed, Tolerance()) == told


def test_a_call_that_failed_says_why() -> None:
    executed = Executed(made=(CallResult(error="no seat"),), expected=(CallResult(value=None),))

    assert why_unequal(executed, Tolerance()) == "no seat"
