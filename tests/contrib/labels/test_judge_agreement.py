"""Agreement of two raters against hand computation and a second way of computing it."""

from __future__ import annotations

import itertools
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.labels.confusion import confusion, weighted_kappa
from ragate.contrib.labels.judge_agreement import (
    _by_luck,
    advised,
    best_threshold,
    calibrate,
    flip_rate,
    review_agreement,
)
from ragate.contrib.labels.review_label import ReviewVerdict
from ragate.core.judging.kappa import kappa

BOOLS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
GRADES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)
BETTER, WORSE, SAME = ReviewVerdict.BETTER, ReviewVerdict.WORSE, ReviewVerdict.SAME


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


def drawn(random: Random, *, mark: float) -> tuple[list[bool], list[float]]:
    """Return labels and scores of a judge of which nine in ten scores fall as the mark says."""
    scores = [round(random.random(), 2) for _ in range(100)]
    return [(score >= mark) == (random.random() < 0.9) for score in scores], scores


def test_a_judge_that_is_strict_gets_the_mark_that_suits_it() -> None:
    labels, scores = drawn(Random(1), mark=0.8)

    advice = advised(labels, scores, present=0.5)

    assert advice is not None
    assert 0.7 <= advice.mark <= 0.9
    assert advice.held_out > advice.present


def test_none_is_advised_where_the_present_mark_is_the_right_one() -> None:
    random = Random(2)
    moved = [advised(*drawn(random, mark=0.5), present=0.5) is not None for _ in range(100)]

    assert sum(moved) <= 5


def test_none_is_advised_where_scores_say_nothing() -> None:
    random = Random(3)
    moved = 0
    for _ in range(100):
        labels = [random.random() < 0.5 for _ in range(40)]
        moved += advised(labels, [random.random() for _ in labels], present=0.5) is not None

    assert moved <= 5


def test_a_few_labels_move_no_mark() -> None:
    assert advised([True, False, True, False], [0.9, 0.8, 0.95, 0.7], present=0.5) is None
    assert advised([], [], present=0.5) is None


@pytest.mark.parametrize(("good", "bad", "gain"), [(4, 3, 0.3), (6, 0, 0.4), (2, 5, -0.1)])
def test_luck_is_the_share_of_all_ways_in_which_items_may_be_won(
    good: int, bad: int, gain: float
) -> None:
    of = {True: 10, False: 5}
    signs = product((1, -1), repeat=good + bad)
    gains = [sum(one[:good]) / of[True] + sum(one[good:]) / of[False] for one in signs]
    enumerated = sum(each >= gain - 1e-9 for each in gains) / len(gains)

    assert _by_luck({True: good, False: bad}, of, gain) == pytest.approx(enumerated)


def test_many_items_of_the_larger_class_do_not_outweigh_few_of_the_rarer() -> None:
    """15 of 90 good ones won and 1 of 10 bad ones lost: a coin's 15 of 16, and hardly a gain."""
    assert _by_luck({True: 15, False: 1}, {True: 90, False: 10}, 15 / 90 - 1 / 10) > 0.2
    labels = [True] * 90 + [False] * 10
    scores = [0.4] * 15 + [0.9] * 75 + [0.4] + [0.1] * 9

    assert advised(labels, scores, present=0.5) is None


def test_a_gain_of_a_tenth_is_mostly_seen_with_50_labels_of_the_rarer_class() -> None:
    random = Random(4)
    found = 0
    for _ in range(40):
        graded = [(True, 0.9)] * 45 + [(True, 0.6)] * 5 + [(False, 0.6)] * 45 + [(False, 0.1)] * 105
        random.shuffle(graded)
        labels, scores = zip(*graded, strict=True)
        found += advised(labels, scores, present=0.5) is not None

    assert found >= 32


def test_more_labels_than_a_float_counts_ways_are_compared() -> None:
    assert 0.4 < _by_luck({True: 600, False: 600}, {True: 900, False: 900}, 0.0) < 0.6


def test_a_metric_that_moves_as_people_say_agrees_fully():
    found = review_agreement([WORSE, SAME, BETTER], [-0.5, 0.0, 0.1])

    assert (found.agreement, found.kappa) == (1.0, 1.0)
    assert (found.worse, found.found, found.others, found.false_alarms) == (1, 1, 2, 0)


def test_what_it_misses_and_where_it_cries_wolf_are_counted_apart():
    found = review_agreement([WORSE, WORSE, SAME, BETTER], [0.0, -0.1, -0.1, -0.2])

    assert (found.worse, found.found) == (2, 1)
    assert (found.others, found.false_alarms) == (2, 2)
    assert found.agreement == pytest.approx(0.25)


def test_what_it_did_not_score_counts_neither_way():
    found = review_agreement([WORSE, SAME], [None, 0.0])

    assert (found.n, found.unscored, found.worse) == (1, 1, 0)


def test_without_a_label_there_are_no_figures():
    found = review_agreement([], [])

    assert (found.n, found.agreement, found.kappa) == (0, None, None)
