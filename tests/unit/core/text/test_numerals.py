"""The numbers of a text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.core.text.numerals import numbers


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
        ("2024-01-05", ["2024", "1", "5"]),
        ("v1.2.3 007 .5", ["1.2.3", "7", "5"]),
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


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**15))
def test_a_number_is_read_with_and_without_thousands_separators(number: int) -> None:
    assert numbers(f"{number:,}") == numbers(f"{number}") == [str(number)]
