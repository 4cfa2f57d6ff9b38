"""Figures as a person reads them."""

from __future__ import annotations

import pytest

from ragate.renderers import _numbers as numbers
from ragate.renderers._numbers import duration


@pytest.mark.parametrize(
    ("unit", "value", "told"),
    [
        ("fraction", 0.855, "85.5 %"),
        ("grade", 4.126, "4.13"),
        ("seconds", 1.3249, "1.32 s"),
        ("tokens", 1204.4, "1,204"),
        ("fraction", None, "–"),
    ],
)
def test_a_level_is_written_in_its_unit(unit: str, value: float | None, told: str) -> None:
    assert numbers.value(unit, value) == told


@pytest.mark.parametrize(
    ("change", "told"),
    [(-0.065, "−6.5"), (0.045, "+4.5"), (0.0, "±0.0"), (-0.0, "±0.0"), (-0.0004, "−0.04")],
)
def test_a_change_in_points_has_a_sign(change: float, told: str) -> None:
    assert numbers.change("fraction", change) == told


@pytest.mark.parametrize(
    ("size", "told"), [(0.1, "10 points"), (0.01, "1 point"), (0.065, "6.5 points")]
)
def test_a_size_has_no_idle_zeros(size: float, told: str) -> None:
    assert numbers.size("fraction", size) == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.41, "0.4 s"), (14.2, "14 s"), (59.7, "1 min"), (82.0, "1 min 22 s"), (9.96, "10 s")],
)
def test_a_duration_is_told_in_minutes_and_seconds(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_what_rounding_left_of_equal_means_is_no_change() -> None:
    assert numbers.change("fraction", 5.6e-17) == "±0.0"
