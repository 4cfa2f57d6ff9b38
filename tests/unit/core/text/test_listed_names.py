"""Names on one line."""

from __future__ import annotations

from ragate.core.text.listed_names import listed


def test_a_long_list_is_cut_and_the_rest_is_counted() -> None:
    assert listed([f"d{number}" for number in range(7)]) == "d0, d1, d2, d3, d4 and 2 more"


def test_a_list_that_fits_is_shown_whole() -> None:
    assert listed(["a", "b"], most=2) == "a, b"
