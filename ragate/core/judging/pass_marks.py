"""Which mark turns a score into pass or fail, and whether another does better on new answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from ragate.core.judging.confusion import Confusion, confusion

EDGE = 1e-9
_FOLDS = 10
_LUCK = 0.05  # chance that marks which do not differ look this different


@dataclass(frozen=True)
class Threshold:
    """A pass mark and how well judgements by it agree with the labels."""

    value: float
    counts: Confusion


def best_threshold(
    labels: Sequence[bool], scores: Sequence[float], *, near: float
) -> Threshold | None:
    """Return the pass mark with the highest balanced accuracy; None where there is none to choose.

    That is where one class lacks, or no mark tells the classes apart better than chance: the lowest
    score as a mark passes everything, and has 0.5 whatever the judge said.

    A score passes at the mark and above. Only observed scores are tried, since any mark between two
    of them judges as the upper one does; of equal ones the nearest to `near` wins, then the higher.
    """
    thresholds = [
        Threshold(mark, confusion(labels, [score >= mark - EDGE for score in scores]))
        for mark in sorted(set(scores))
    ]
    rated = [
        (round(accuracy, 9), -round(abs(threshold.value - near), 9), threshold.value, threshold)
        for threshold in thresholds
        if (accuracy := threshold.counts.balanced_accuracy) is not None and accuracy > 0.5 + EDGE
    ]
    return max(rated, key=lambda row: row[:3])[3] if rated else None


@dataclass(frozen=True)
class MarkAdvice:
    """A mark that helps on labels that did not choose it.

    Attributes:
        mark: The best one on all labels.
        held_out, present: Balanced accuracy of marks on labels that did not choose them, and of the
            present mark.
    """

    mark: float
    held_out: float
    present: float


def advised(
    labels: Sequence[bool], scores: Sequence[float], *, present: float
) -> MarkAdvice | None:
    """Return a pass mark that is worth moving to, None where none is.

    The labels are dealt into ten parts; each part is judged by the mark that is best on the nine
    others. That has to do better than the present mark in balanced accuracy, and to judge rightly
    more of the items on which the two differ than luck explains (sign test, one-sided, 5 %).
    """
    best = best_threshold(labels, scores, near=present)
    if best is None or abs(best.value - present) < EDGE:
        return None
    chosen = _held_out(labels, scores, present=present)
    now = [score >= present - EDGE for score in scores]
    held_out = confusion(labels, chosen).balanced_accuracy
    before = confusion(labels, now).balanced_accuracy
    differing = [label for label, new, old in zip(labels, chosen, now, strict=True) if new != old]
    won = sum(
        label == new for label, new, old in zip(labels, chosen, now, strict=True) if new != old
    )
    if held_out is None or before is None or held_out <= before + EDGE:
        return None
    if _by_luck(won, len(differing)) > _LUCK:
        return None
    return MarkAdvice(best.value, held_out, before)


def _held_out(labels: Sequence[bool], scores: Sequence[float], *, present: float) -> list[bool]:
    """Return the judgements by marks of which each was chosen without the item."""
    dealt = {False: 0, True: 0}
    folds = []
    for label in labels:  # both classes evenly
        folds.append(dealt[label] % _FOLDS)
        dealt[label] += 1
    marks = []
    for fold in range(_FOLDS):
        rest = [row for row, own in enumerate(folds) if own != fold]
        best = best_threshold(
            [labels[row] for row in rest], [scores[row] for row in rest], near=present
        )
        marks.append(best.value if best is not None else present)
    return [score >= marks[fold] - EDGE for score, fold in zip(scores, folds, strict=True)]


def _by_luck(won: int, differing: int) -> float:
    """Return the chance that a coin wins so many or more."""
    wins = sum(comb(differing, count) for count in range(won, differing + 1))
    return wins / float(2**differing)
