"""The numbers of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text.number_places import NumberSources, claimed_places
from ragate.core.text.numerals import calendar_dates, numerals
from tests.unit.core.text.readings import numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6,000 6000 6'000 6\u00a0000 6000.0", ["6000"] * 5),
        ("1,234,567.89 and 1.234.567,89", ["1234567.89"] * 2),
        ("3,5 or 3.5 or 3.50", ["3.5"] * 3),
        ("1.234", ["1.234"]),
        ("50 % 50% 50 percent", ["50"] * 3),
        ("$1.5 million, 1,500,000 or 1.5-million", ["1500000"] * 3),
        ("2.5 thousandths", ["2.5"]),
        ("-5 and \u22125, but 3-5", ["-5", "-5", "3", "5"]),
        ("v1.2.3 007 .5", ["1.2.3", "7", "0.5"]),
        ("٣٤", ["34"]),
        ("-0 none", ["0"]),
        ("x², half, one-off", ["1"]),
        ("Eight of twenty-one, or 2", ["8", "21", "2"]),
        ("two hundred and fifty thousand and six", ["250006"]),
        ("twelve hundred, six million", ["1200", "6000000"]),
        ("twofold weight someone often", []),
    ],
)
def test_numbers_have_one_spelling(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "other"),
    [("v2.10", "2.1"), (".5", "5"), ("$1.5M", "$1.5B"), ("2 bn", "2"), ("5m", "5 million")],
)
def test_numbers_that_differ_are_told_apart(text: str, other: str) -> None:
    assert not claims_stand(text, other)
    assert not claims_stand(other, text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1 000", "1000"),
        ("1,23,456", "123456"),
        ("1，000", "1,000"),
        ("3 Mio.", "3 million"),
        ("2,5 Mrd. €", "€2.5B"),
        ("3億円", "300,000,000"),
        ("2 crore", "20 000 000"),
        ("10k users", "10,000"),
        ("v2.10", "version 2.10"),
        ("v2.10", "2.10"),
        ("0.5", ".5"),
        ("2024-05-01", "1 May 2024"),
        ("May 1st, 2024", "1. Mai 2024"),
        ("2024年5月1日", "1 de mayo de 2024"),
        ("1.5.2024", "2024/05/01"),
    ],
)
def test_numbers_that_are_the_same_are_found_alike(text: str, same: str) -> None:
    assert claims_stand(text, same)
    assert claims_stand(same, text)


def claims_stand(text: str, source: str) -> bool:
    return all(map(NumberSources([source]).state, claimed_places(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Gerät kostet 1.000 Euro und ist neu.", "1000"),
        ("1.000 of it, 3,5 of that", "1000"),
        ("1.000 of it, 3.5 of that", "1"),
        ("Es sind 1,234 Meter bis zu der Brücke.", "1.234"),
        ("1,234 of it, 3.5 of that", "1234"),
    ],
)
def test_the_sign_of_thousands_is_the_one_that_the_text_shows(text: str, expected: str) -> None:
    assert numbers(text)[0] == expected


def test_without_a_sign_of_the_locale_both_readings_are_confirmed() -> None:
    assert claims_stand("1", "1.000")
    assert claims_stand("1000", "1.000")


def test_a_date_is_one_number_and_confirms_its_parts() -> None:
    assert numbers("2024-01-05") == ["2024-01-05"]
    assert claims_stand("in 2024", "on 2024-01-05")
    assert not claims_stand("2024-01-05", "in 2024, 1 of 5")
    assert numbers("2024-13-45") == ["2024", "13", "45"]
    assert claims_stand("01/05/2024", "1 May 2024")


@pytest.mark.parametrize("gap", [" ", " \n"])
def test_a_date_begins_where_its_month_does(gap: str) -> None:
    text = f"It came in March{gap}2024."

    (found,) = numerals(text)

    assert text[found.start : found.end] == f"March{gap}2024"


def test_a_row_of_columns_confirms_each_column() -> None:
    assert claims_stand("340", "120 340 560")


@given(st.integers(min_value=0, max_value=10**15))
def test_a_number_is_read_with_and_without_thousands_separators(number: int) -> None:
    assert numbers(f"{number:,}") == numbers(f"{number}") == [str(number)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("3 tauſend", "3 tausend"),
        ("5 MİL", "5 mil"),
        ("1. Auguſt 1850", "1. August 1850"),
        ("5 aprİl 2020", "5 april 2020"),
    ],
)
def test_letters_that_match_without_case_are_read_like_the_others(text: str, plain: str) -> None:
    assert numbers(text) == numbers(plain)


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


@pytest.mark.parametrize(
    ("text", "number", "reading"),
    [
        ("from 75 to 250 million years ago", 0, "75000000"),
        ("between 19 and 28 August", 0, "--08-19"),
        ("closed Aug 19–28", 1, "--08-28"),
        ("from 2 to 4 pm", 0, "14:00"),
    ],
)
def test_the_ends_of_a_range_share_what_one_of_them_says(
    text: str, number: int, reading: str
) -> None:
    assert reading in numerals(text)[number].readings


def test_a_number_is_no_decimal_of_the_one_before_it() -> None:
    assert numerals("1.5 and 2 litres")[1].readings == ("2",)
