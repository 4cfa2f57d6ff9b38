"""Agreement of two raters against hand computation and a second way of computing it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.judging.confusion import confusion
from ragate.core.judging.judge_agreement import calibrate, flip_rate
from ragate.core.judging.kappa import kappa, weighted_kappa
from ragate.core.judging.pass_marks import best_threshold

BOOLS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
GRADES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)


def test_a_table_by_hand() -> None:
    # 50 items: both yes 20, both no 15, people yes and judge no 5, the other way 10.
    labels = [True] * 25 + [False] * 25
    verdicts = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15

    counts = confusion(labels, verdicts)

    assert (counts.true_pass, counts.false_fail, counts.false_pass, counts.true_fail) == (
        20,
        5,
        10,
        15,
    )
    assert counts.agreement == 0.7
    assert counts.kappa == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)
    assert counts.balanced_accuracy == pytest.approx((20 / 25 + 15 / 25) / 2)


def test_agreement_is_not_kappa_where_nearly_all_is_good() -> None:
    labels = [True] * 95 + [False] * 5

    counts = confusion(labels, [True] * 100)

    assert counts.agreement == 0.95
    assert counts.kappa == 0.0
    assert counts.balanced_accuracy == 0.5


def test_where_both_say_one_thing_only_nothing_is_beyond_chance() -> None:
    counts = confusion([True] * 3, [True] * 3)

    assert (counts.agreement, counts.kappa, counts.balanced_accuracy) == (1.0, None, None)


def test_without_pairs_there_is_no_figure() -> None:
    counts = confusion([], [])

    assert (counts.agreement, counts.kappa, counts.balanced_accuracy) == (None, None, None)
    assert weighted_kappa([], []) is None
    assert flip_rate([]) is None


@given(BOOLS)
def test_kappa_by_its_margins(pairs: list[tuple[bool, bool]]) -> None:
    first, second = zip(*pairs, strict=True)
    n = len(pairs)
    seen = sum(a == b for a, b in pairs) / n
    yes = (sum(first) / n) * (sum(second) / n)
    chance = yes + (1 - sum(first) / n) * (1 - sum(second) / n)

    found = kappa(first, second)

    if found is None:
        assert chance == pytest.approx(1)
    else:
        assert found == pytest.approx((seen - chance) / (1 - chance))
        assert found <= 1
    assert found == confusion(first, second).kappa


@given(GRADES)
def test_weighted_kappa_by_its_table_of_weights(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    n = len(pairs)
    seen = expected = 0.0
    for i, j in itertools.product(range(1, 6), repeat=2):
        weight = (i - j) ** 2 / 16
        seen += weight * sum(pair == (i, j) for pair in pairs) / n
        expected += weight * first.count(i) * second.count(j) / n**2

    found = weighted_kappa(first, second)

    if found is None:
        assert expected == pytest.approx(0)
    else:
        assert found == pytest.approx(1 - seen / expected)


def test_a_near_miss_weighs_less_than_a_far_one() -> None:
    people = [1, 2, 3, 4, 5]
    near, far = weighted_kappa(people, [1, 2, 3, 4, 4]), weighted_kappa(people, [1, 2, 3, 4, 1])

    assert near is not None
    assert far is not None
    assert near > far


def test_flips_are_pairs_of_judgements_that_differ() -> None:
    # 3 judgements, one different: 2 of 3 pairs differ. None is left out, one alone says nothing.
    repeats: list[list[bool | None]]
    repeats = [[True, True, False], [True, True, True], [None, False, False], [None, None, True]]

    assert flip_rate(repeats) == pytest.approx((2 / 3 + 0 + 0) / 3)


def test_the_best_mark_separates_and_is_near_the_usual_one_among_equals() -> None:
    labels = [False, False, True, True]

    found = best_threshold(labels, [0.2, 0.6, 0.8, 1.0], near=0.5)

    assert found is not None
    assert found.value == 0.8
    assert found.counts.balanced_accuracy == 1.0


@pytest.mark.parametrize(("near", "mark"), [(0.5, 0.4), (0.9, 0.8), (0.6, 0.8)])
def test_of_equal_marks_the_nearest_wins_then_the_higher(near: float, mark: float) -> None:
    found = best_threshold([False, True, False, True], [0.2, 0.4, 0.6, 0.8], near=near)

    assert found is not None
    assert found.value == mark


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 10).map(lambda x: x / 10)), min_size=1, max_size=20
    )
)
def test_no_mark_does_better_than_the_best(rows: list[tuple[bool, float]]) -> None:
    labels, scores = zip(*rows, strict=True)

    found = best_threshold(labels, scores, near=0.5)

    if len(set(labels)) < 2:
        assert found is None
        return
    best = found.counts.balanced_accuracy if found is not None else 0.5
    assert best is not None
    assert (best > 0.5) is (found is not None)
    for mark in [x / 20 for x in range(22)]:
        other = confusion(labels, [score >= mark - 1e-9 for score in scores]).balanced_accuracy
        assert other is not None
        assert other <= best + 1e-9


def test_a_calibration_counts_what_was_not_scored_and_leaves_it_out() -> None:
    report = calibrate(
        [True, False, True, False],
        [1.0, 0.0, None, 0.6],
        [[1.0, 1.0], [0.0, 0.6], [None, None], [0.6, 0.6]],
        pass_at=0.5,
    )

    assert (report.n, report.unscored) == (3, 1)
    assert report.agreement == pytest.approx(2 / 3)
    assert report.counts.false_pass == 1
    assert report.flips == pytest.approx(1 / 3)
    assert report.best is not None
    assert report.best.value == 1.0
    assert report.grades_kappa is None


def test_grades_pass_at_the_same_mark_as_scores() -> None:
    report = calibrate([5.0, 4.0, 2.0], [4.5, 4.0, 1.0], pass_at=4.0)

    assert report.agreement == 1.0
    assert report.grades_kappa == pytest.approx(weighted_kappa([5, 4, 2], [4.5, 4, 1]))
    assert report.flips is None
    assert calibrate([True, 2.0], [5.0, 1.0], pass_at=4.0).grades_kappa is None
