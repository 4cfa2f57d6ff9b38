"""Values held against right ones."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.calls.values import alike


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


def test_words_that_look_like_no_number_are_compared_as_words() -> None:
    assert alike("Nan", "nan")
    assert not alike("inf", "infinity")
