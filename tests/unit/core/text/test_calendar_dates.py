"""Dates of a text."""

from __future__ import annotations

import pytest

from ragate.core.text.calendar_dates import calendar_dates


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("2024-05-01", ("2024-05-01",)),
        ("on May 1st, 2024.", ("2024-05-01",)),
        ("am 1. März 2024", ("2024-03-01",)),
        ("1er février 2024", ("2024-02-01",)),
        ("20 November 1923 ,", ("1923-11-20",)),
        ("2024년 5월 1일", ("2024-05-01",)),
        ("05/01/2024", ("2024-01-05", "2024-05-01")),
        ("13/05/2024", ("2024-05-13",)),
    ],
)
def test_a_date_has_one_spelling_or_the_two_that_it_may_have(
    text: str, readings: tuple[str, ...]
) -> None:
    [date] = calendar_dates(text)

    assert date.readings == readings


@pytest.mark.parametrize("text", ["2024-13-45", "1.2.3.2024", "12024-05-01", "May 2024", ""])
def test_what_is_no_date_is_none(text: str) -> None:
    assert not list(calendar_dates(text))
