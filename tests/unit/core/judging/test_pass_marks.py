"""A pass mark is advised only where it helps on labels that did not choose it."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from ragate.core.judging.pass_marks import _by_luck, advised


def drawn(random: Random, *, mark: float, n: int = 100) -> tuple[list[bool], list[float]]:
    """Return labels and scores of a judge of which nine in ten scores fall as the mark says."""
    scores = [round(random.random(), 2) for _ in range(n)]
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
