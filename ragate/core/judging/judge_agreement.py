"""How well a judge agrees with people, and with itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.confusion import Confusion, confusion
from ragate.core.judging.kappa import kappa_interval, weighted_kappa
from ragate.core.judging.pass_marks import (
    EDGE,
    MarkAdvice,
    Threshold,
    advised,
    best_threshold,
)


def flip_rate(repeats: Sequence[Sequence[bool | None]]) -> float | None:
    """Return the chance that two judgements of one item differ; None without two of any item.

    Args:
        repeats: The judgements of each item, None for one that failed. Every item with two
            judgements or more counts alike.
    """
    shares = []
    for judgements in repeats:
        judged = [passed for passed in judgements if passed is not None]
        n, passes = len(judged), sum(judged)
        if n >= 2:
            shares.append(2 * passes * (n - passes) / (n * (n - 1)))
    return sum(shares) / len(shares) if shares else None


@dataclass(frozen=True)
class CalibrationReport:
    """How a judge's scores of one criterion compare with the labels of people.

    Attributes:
        n: Items with a label and a score. unscored: Items that the judge did not score.
        pass_at: The mark that turns scores, and labels that are grades, into pass or fail.
        kappa: Cohen's kappa of pass and fail; grades_kappa: with quadratic weights, where labels
            are grades.
        flips: Chance that two judgements of one item differ; None without repeats.
        kappa_interval: 95 %, by bootstrap over the items.
        best: The mark that agrees best, and its table; None where none is better than chance.
        advice: A mark that does better on labels that did not choose it; None where none does.
    """

    n: int
    unscored: int
    pass_at: float
    counts: Confusion
    agreement: float | None
    kappa: float | None
    grades_kappa: float | None
    balanced_accuracy: float | None
    flips: float | None
    best: Threshold | None
    kappa_interval: tuple[float, float] | None = None
    advice: MarkAdvice | None = None


def calibrate(
    labels: Sequence[bool | float],
    scores: Sequence[float | None],
    repeats: Sequence[Sequence[float | None]] = (),
    *,
    pass_at: float,
) -> CalibrationReport:
    """Compare a judge's scores with labels.

    Args:
        labels: True or false, or a grade that passes at `pass_at`; one for each item.
        scores: The judge's score of each item, None where there is none.
        repeats: For each item, all scores of repeated judgements, the first included.
    """
    pairs = [(label, x) for label, x in zip(labels, scores, strict=True) if x is not None]
    good = [_passes(label, pass_at) for label, _ in pairs]
    measured = [score for _, score in pairs]
    counts = confusion(good, [_passes(score, pass_at) for score in measured])
    graded = bool(pairs) and not any(isinstance(label, bool) for label, _ in pairs)
    again = [[None if x is None else _passes(x, pass_at) for x in item] for item in repeats]
    return CalibrationReport(
        n=len(pairs),
        unscored=len(labels) - len(pairs),
        pass_at=pass_at,
        counts=counts,
        agreement=counts.agreement,
        kappa=counts.kappa,
        grades_kappa=weighted_kappa([label for label, _ in pairs], measured) if graded else None,
        balanced_accuracy=counts.balanced_accuracy,
        flips=flip_rate(again),
        best=best_threshold(good, measured, near=pass_at),
        kappa_interval=kappa_interval(
            (counts.true_pass, counts.false_pass, counts.false_fail, counts.true_fail)
        ),
        advice=advised(good, measured, present=pass_at),
    )


def _passes(value: bool | float, pass_at: float) -> bool:
    return value if isinstance(value, bool) else value >= pass_at - EDGE
