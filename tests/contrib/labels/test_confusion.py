"""Intervals of kappa: as wide as the figure moves from one set of labels to the next."""

from __future__ import annotations

from random import Random

import pytest

from ragate.contrib.labels.confusion import Confusion, kappa_interval, weighted_kappa

CELLS = (0.45, 0.1, 0.1, 0.35)  # kappa 0.596


def test_the_interval_holds_the_true_value_in_about_95_of_100_sets() -> None:
    random = Random(1)
    truth = Confusion(450, 100, 100, 350).kappa
    assert truth is not None
    held = 0
    for _ in range(200):
        cells = random.choices(range(4), CELLS, k=100)
        both, second, first, neither = (cells.count(cell) for cell in range(4))
        interval = kappa_interval((both, second, first, neither))
        assert interval is not None
        held += interval[0] <= truth <= interval[1]

    assert 178 <= held <= 198


def test_more_labels_narrow_it() -> None:
    few, many = kappa_interval((9, 2, 2, 7)), kappa_interval((450, 100, 100, 350))

    assert few is not None
    assert many is not None
    assert many[1] - many[0] < (few[1] - few[0]) / 5


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (5, 0, 0, 0), (20, 0, 1, 0)])
def test_there_is_none_where_nearly_all_say_the_same(counts: tuple[int, int, int, int]) -> None:
    assert kappa_interval(counts) is None


def test_the_same_labels_have_the_same_interval() -> None:
    assert kappa_interval((9, 2, 2, 7)) == kappa_interval((9, 2, 2, 7))


def test_weighted_kappa_of_many_labels_takes_a_step_for_each_pair_of_grades_not_of_labels() -> None:
    class Grade(float):
        subtractions = 0

        def __sub__(self, other: float) -> float:
            Grade.subtractions += 1
            return super().__sub__(other)

    grades = [Grade(number % 5) for number in range(1_000)]

    weighted_kappa(grades, grades[::-1])

    assert Grade.subtractions == 1_000 + 5 * 5
