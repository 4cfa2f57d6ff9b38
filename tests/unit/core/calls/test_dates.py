"""Dates in arguments, as of a Sunday in November 2026."""

from __future__ import annotations

import datetime

import pytest

from ragate.core.calls.dates import Mode, filled, period, same_dates
from ragate.core.calls.values import texts_alike

TODAY = datetime.date(2026, 11, 22)


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
