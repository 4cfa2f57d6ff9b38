"""Calls held against the right ones."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.tool_calls import alike, in_order, matched, why_not
from ragate.models import ExpectedCall, ToolCall


def right(name: str, **arguments: Any) -> ExpectedCall:
    return ExpectedCall(name=name, arguments=arguments)


def made(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (5, 5.0),
        ("New York, NY", "new york ny"),
        ("2024-01-02", "2024/01/02"),
        (["A", 1], ["a", 1.0]),
        ({"b": 1, "a": "X"}, {"a": "x", "b": 1}),
        (None, None),
        ("1.0", "1"),
    ],
)
def test_values_that_say_the_same_are_alike(given: Any, expected: Any) -> None:
    assert alike(given, expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("5", 5),
        (True, 1),
        (0, False),
        (None, ""),
        ("1.5", "15"),
        ("-5", "5"),
        ("-", "/"),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("C++", "C"),
    ],
)
def test_values_that_say_something_else_are_not_alike(given: Any, expected: Any) -> None:
    assert not alike(given, expected)


def test_calls_count_in_any_order() -> None:
    assert why_not([right("f", x=1), right("g")], [made("g"), made("f", x=1)], {}) == ""


def test_a_call_that_fits_two_right_ones_does_not_take_the_place_of_another() -> None:
    either = ExpectedCall(name="f", alternatives={"x": (1, 2)})

    assert matched([either, right("f", x=1)], [made("f", x=1), made("f", x=2)], {}) == {0: 1, 1: 0}


def test_the_same_call_made_once_is_not_two() -> None:
    assert why_not([right("f"), right("f")], [made("f")], {}) == "f: not called"


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
    assert why_not([right("f", x=1)], [call], {}) == reason


def test_an_argument_with_its_default_is_as_good_as_none() -> None:
    defaults = {"f": {"unit": "km"}}

    assert why_not([right("f")], [made("f", unit="km")], defaults) == ""
    assert why_not([right("f", unit="km")], [made("f")], defaults) == ""
    assert why_not([right("f")], [made("f", unit="m")], defaults) == "f: unit is not expected"
    assert why_not([right("f", unit="m")], [made("f")], defaults) == "f: unit is missing"


def test_an_optional_argument_may_be_left_out_and_is_checked_where_it_is_given() -> None:
    expected = ExpectedCall(name="f", arguments={"n": 3}, optional=("n",))

    assert why_not([expected], [made("f")], {}) == ""
    assert why_not([expected], [made("f", n=4)], {}) == "f: n = 4, and 3 is right"


@pytest.mark.parametrize(
    ("calls", "count"), [("abc", 3), ("axbyc", 3), ("cba", 1), ("acb", 2), ("", 0)]
)
def test_the_longest_run_in_order_counts(calls: str, count: int) -> None:
    assert in_order([right(name) for name in "abc"], [made(name) for name in calls], {}) == count


def test_words_that_look_like_no_number_are_compared_as_words() -> None:
    assert alike("Nan", "nan")
    assert not alike("inf", "infinity")
