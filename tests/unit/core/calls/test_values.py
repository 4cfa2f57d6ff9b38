"""Values held against right ones."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ragate.core.calls.values import (
    Found,
    Mode,
    alike,
    filled,
    found_entities,
    period,
    same_dates,
    texts_alike,
)
from ragate.models import ExpectedCall, ToolCall

TODAY = datetime.date(2026, 11, 22)
RIGHT = ExpectedCall(
    name="prices", arguments={"tickers": ["AAPL", "MSFT"]}, alternatives={"unit": ("USD", "$")}
)


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


def same(mode: Mode, given: str, right: str) -> bool:
    return same_dates(mode, TODAY, texts_alike)(given, right)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("today", "2026-11-22"),
        ("NOW", "2026-11-22"),
        ("yesterday", "2026-11-21"),
        ("-1Y", "2025-11-22"),
        ("-3M", "2026-08-22"),
        ("+2w", "2026-12-06"),
        ("5 days ago", "2026-11-17"),
        ("in 1 month", "2026-12-22"),
        ("2026/1/5", "2026-01-05"),
        ("2026-01-05T10:00:00Z", "2026-01-05"),
        ("January 5, 2026", "2026-01-05"),
        ("5 Jan 2026", "2026-01-05"),
    ],
)
def test_a_day_is_read(text: str, days: str) -> None:
    day = datetime.date.fromisoformat(days)

    assert period(text, TODAY) == (day, day)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("last month", "2026-10-01", "2026-10-31"),
        ("LAST_MONTH", "2026-10-01", "2026-10-31"),
        ("this quarter", "2026-10-01", "2026-12-31"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("last 5 years", "2021-11-22", "2026-11-22"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("Q4 2025", "2025-10-01", "2025-12-31"),
        ("2025Q4", "2025-10-01", "2025-12-31"),
        ("Feb 2023", "2023-02-01", "2023-02-28"),
    ],
)
def test_a_period_is_read(text: str, first: str, last: str) -> None:
    assert period(text, TODAY) == tuple(map(datetime.date.fromisoformat, (first, last)))


@pytest.mark.parametrize(
    "text",
    ["Oslo", "2026", "20260105", "", "2026-02-30", "-99999y", "99999 years ago", "May", "-5"],
)
def test_what_is_no_date_is_read_as_none(text: str) -> None:
    assert period(text, TODAY) is None


def test_the_last_day_of_a_long_month_becomes_that_of_a_short_one() -> None:
    day = datetime.date(2023, 2, 28)

    assert period("1 month ago", datetime.date(2023, 3, 31)) == (day, day)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{today}", "2026-11-22"),
        ("{today-7d}", "2026-11-15"),
        ("{today+1m}", "2026-12-22"),
        ("{today-99999y}", "{today-99999y}"),
        ("{today} at noon", "{today} at noon"),
    ],
)
def test_today_in_a_right_value_is_written_out(text: str, written: str) -> None:
    assert filled(text, TODAY) == written


@pytest.mark.parametrize(
    ("given", "right", "behavioural", "structural", "data"),
    [
        ("2025-11-22", "-1Y", True, True, True),
        ("1 year ago", "-1Y", True, True, False),
        ("-1Y", "-1Y", True, True, False),
        ("2024-11-22", "-1Y", True, False, False),
        ("last month", "-1Y", True, False, False),
        ("20251122", "2025-11-22", True, True, True),
        ("2025", "last year", True, True, True),
        ("Oslo", "-1Y", False, False, False),
        ("2026-11-15", "{today-7d}", True, True, True),
        ("oslo", "Oslo", True, True, True),
        ("2026", "2026", True, True, True),
        ("2025", "2026", False, False, False),
    ],
)
def test_each_mode_lets_less_pass(
    given: str, right: str, *, behavioural: bool, structural: bool, data: bool
) -> None:
    assert same("behavioural", given, right) is behavioural
    assert same("structural", given, right) is structural
    assert same("data", given, right) is data


def test_without_a_mode_dates_are_texts_and_today_counts() -> None:
    assert not same("", "2025-11-22", "-1Y")
    assert same("", "2026-11-15", "{today-7d}")


def found(*calls: tuple[str, dict[str, Any]], arguments: tuple[str, ...] = ("tickers",)) -> Found:
    made = [ToolCall(name=name, arguments=given) for name, given in calls]
    return found_entities([RIGHT], made, arguments, texts_alike)


def test_each_item_of_a_list_is_an_entity() -> None:
    counted = found(("prices", {"tickers": ["MSFT", "TSLA", "IBM"]}))

    assert counted == Found(2, 3, 1, "tickers: 'AAPL', 'MSFT' is right")


def test_the_tool_does_not_matter() -> None:
    assert found(("quotes", {"tickers": ["msft", "aapl"]})).both == 2


def test_an_argument_that_holds_none_is_left_out() -> None:
    assert found(("prices", {"tickers": ["AAPL", "MSFT"], "unit": "EUR"})) == Found(2, 2, 2)


def test_any_of_several_right_values_will_do() -> None:
    counted = found(("prices", {"tickers": ["AAPL", "MSFT"], "unit": "$"}), arguments=())

    assert counted == Found(3, 3, 3)


def test_without_a_call_all_is_missing() -> None:
    assert found() == Found(2, 0, 0, "tickers: 'AAPL', 'MSFT' is right")


@pytest.mark.parametrize("given", [{}, {"tickers": "AAPL"}])
def test_what_may_be_left_out_is_expected_only_where_it_is_given(given: dict[str, Any]) -> None:
    right = ExpectedCall(name="f", arguments={"tickers": "AAPL"}, optional=("tickers",))
    made = [ToolCall(name="f", arguments=given)]

    counted = found_entities([right], made, (), texts_alike)

    assert counted == Found(len(given), len(given), len(given))
