"""How well a judge agrees with people, and with itself, and which mark helps."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

from ragate.contrib.labels.confusion import Confusion, confusion, kappa_interval, weighted_kappa
from ragate.contrib.labels.review_label import ReviewVerdict
from ragate.core.judging.kappa import kappa

EDGE = 1e-9
_FOLDS = 2
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

    The labels are dealt into two halves; each is judged by the mark that is best on the other. More
    parts share more labels, and where all marks are alike they agree on the luckiest. In balanced
    accuracy, by which marks are chosen, that has to do better than the present mark by more than
    luck explains (5 %, one-sided).
    """
    best = best_threshold(labels, scores, near=present)
    if best is None or abs(best.value - present) < EDGE:
        return None
    chosen = _held_out(labels, scores, present=present)
    now = [score >= present - EDGE for score in scores]
    after, before = confusion(labels, chosen), confusion(labels, now)
    held_out, accuracy = after.balanced_accuracy, before.balanced_accuracy
    if held_out is None or accuracy is None or held_out <= accuracy + EDGE:
        return None
    differing = Counter(
        label for label, new, old in zip(labels, chosen, now, strict=True) if new != old
    )
    if _by_luck(differing, Counter(labels), 2 * (held_out - accuracy)) > _LUCK:
        return None
    return MarkAdvice(best.value, held_out, accuracy)


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


def _by_luck(differing: Mapping[bool, int], of: Mapping[bool, int], gain: float) -> float:
    """Return the chance that a gain is so large where both marks judge equally well.

    An exact permutation test of paired judgements: each item on which they differ is won or lost
    like a coin, and weighs as one of its class.

    Args:
        differing: By label, the items on which the two differ. of: By label, all items.
        gain: Sum over the classes of the share of the class that was won, less what was lost.
    """
    good, bad = differing[True], differing[False]
    of_good, of_bad = ([comb(n, won) for won in range(n + 1)] for n in (good, bad))
    ways = sum(
        some * others
        for won, some in enumerate(of_good)
        for found, others in enumerate(of_bad)
        if (2 * won - good) / of[True] + (2 * found - bad) / of[False] >= gain - EDGE
    )
    return ways / (1 << good + bad)


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


@dataclass(frozen=True)
class ReviewAgreement:
    """One metric beside people's words on pairs of answers.

    Attributes:
        n: Labels of pairs that the metric scored on both sides.
        unscored: Labels of pairs that it did not score on both.
        agreement: Share on which both say the same: better, worse or same.
        kappa: The same beyond chance; None where chance explains all.
        worse, found: Answers that people call worse, and those of them on which it fell.
        others, false_alarms: Answers that people do not call worse, and on which it fell.
    """

    n: int
    unscored: int
    agreement: float | None
    kappa: float | None
    worse: int
    found: int
    others: int
    false_alarms: int


def review_agreement(
    verdicts: Sequence[ReviewVerdict], gains: Sequence[float | None]
) -> ReviewAgreement:
    """Compare people's verdicts with a metric's changes.

    Args:
        verdicts: Better, worse or same, one a label.
        gains: By label, how much better the metric scores the answer now, in its own unit and
            below 0 where worse; None where a side has no score.
    """
    scored = [
        (verdict, _verdict_of(gain))
        for verdict, gain in zip(verdicts, gains, strict=True)
        if gain is not None
    ]
    people, metric = [pair[0] for pair in scored], [pair[1] for pair in scored]
    fell = ReviewVerdict.WORSE
    worse = people.count(fell)
    found = scored.count((fell, fell))
    return ReviewAgreement(
        n=len(scored),
        unscored=len(verdicts) - len(scored),
        agreement=sum(one == other for one, other in scored) / len(scored) if scored else None,
        kappa=kappa(people, metric),
        worse=worse,
        found=found,
        others=len(scored) - worse,
        false_alarms=metric.count(fell) - found,
    )


def _verdict_of(gain: float) -> ReviewVerdict:
    if gain == 0:
        return ReviewVerdict.SAME
    return ReviewVerdict.BETTER if gain > 0 else ReviewVerdict.WORSE
