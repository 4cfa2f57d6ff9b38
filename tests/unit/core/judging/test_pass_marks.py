"""A pass mark is advised only where it helps on labels that did not choose it."""

from __future__ import annotations

from random import Random

from ragate.core.judging.pass_marks import advised


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
