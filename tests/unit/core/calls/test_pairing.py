"""Calls held against the right ones."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest

from ragate.core.calls.pairing import (
    MOST_RESULTS,
    Tolerance,
    difference,
    in_order,
    largest_pairing,
    matched,
    why_not,
    why_unequal,
    wrongly_routed,
)
from ragate.core.calls.values import PLAIN, CallRules
from ragate.models import CallResult, Executed, ExpectedCall, ToolCall


def right(name: str, **arguments: Any) -> ExpectedCall:
    return ExpectedCall(name=name, arguments=arguments)


def made(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def test_calls_count_in_any_order() -> None:
    assert why_not([right("f", x=1), right("g")], [made("g"), made("f", x=1)], PLAIN) == ""


def test_a_call_that_fits_two_right_ones_does_not_take_the_place_of_another() -> None:
    either = ExpectedCall(name="f", alternatives={"x": (1, 2)})

    assert matched([either, right("f", x=1)], [made("f", x=1), made("f", x=2)], PLAIN) == {
        0: 1,
        1: 0,
    }


def test_a_chain_of_thousands_in_the_way_of_the_last_is_handed_on() -> None:
    last = 3_000
    fits = [[number, number + 1] for number in range(last)] + [[0]]

    assert largest_pairing(fits) == {number: number + 1 for number in range(last)} | {last: 0}


def test_no_pairing_is_larger() -> None:
    chance = Random(7)
    for _ in range(200):
        fits = [[n for n in range(4) if chance.random() < 0.4] for _ in range(5)]
        pairs = largest_pairing(fits)
        best = max(
            sum(number in fits[right] for right, number in enumerate(order))
            for order in permutations([*range(4), -1])
        )

        assert len(pairs) == len(set(pairs.values())) == best
        assert all(other in fits[right] for right, other in pairs.items())


def test_the_same_call_made_once_is_not_two() -> None:
    assert why_not([right("f"), right("f")], [made("f")], PLAIN) == "f: not called"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (made("g", x=1), "g was called, and f is right"),
        (made("f"), "f: x is missing"),
        (made("f", x=1, y=2), "f: y is not expected"),
        (made("f", x="1"), "f: x = '1' is a text, and a number is right"),
        (made("f", x=2), "f: x = 2, and 1 is right"),
        (ToolCall(name="f", malformed="{x"), "f: the arguments are no JSON object"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call: ToolCall, reason: str) -> None:
    assert why_not([right("f", x=1)], [call], PLAIN) == reason


def test_an_argument_with_its_default_is_as_good_as_none() -> None:
    defaults = CallRules({"f": {"unit": "km"}})

    assert why_not([right("f")], [made("f", unit="km")], defaults) == ""
    assert why_not([right("f", unit="km")], [made("f")], defaults) == ""
    assert why_not([right("f")], [made("f", unit="m")], defaults) == "f: unit is not expected"
    assert why_not([right("f", unit="m")], [made("f")], defaults) == "f: unit is missing"


def test_an_optional_argument_may_be_left_out_and_is_checked_where_it_is_given() -> None:
    expected = ExpectedCall(name="f", arguments={"n": 3}, optional=("n",))

    assert why_not([expected], [made("f")], PLAIN) == ""
    assert why_not([expected], [made("f", n=4)], PLAIN) == "f: n = 4, and 3 is right"


@pytest.mark.parametrize(
    ("calls", "count"), [("abc", 3), ("axbyc", 3), ("cba", 1), ("acb", 2), ("", 0)]
)
def test_the_longest_run_in_order_counts(calls: str, count: int) -> None:
    assert in_order([right(name) for name in "abc"], [made(name) for name in calls], PLAIN) == count


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ("fg", ""),
        ("gf", ""),
        ("fh", "h was called, and g is right"),
        ("f", "g: not called"),
        ("fgg", "g: not expected"),
    ],
)
def test_routing_sees_the_tools_alone(calls: str, reason: str) -> None:
    expected = [right("f", x=1), right("g")]

    assert wrongly_routed(expected, [made(name) for name in calls]) == reason


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
