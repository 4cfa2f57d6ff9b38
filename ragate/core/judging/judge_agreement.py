"""How well a judge agrees with people, and with itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.kappa import kappa, weighted_kappa

_EDGE = 1e-9


@dataclass(frozen=True)
class Confusion:
    """Counts of a yes-or-no judgement against labels.

    Attributes:
        false_pass: The judge passes what people fail. false_fail: The other way round.
    """

    true_pass: int
    false_pass: int
    false_fail: int
    true_fail: int

    @property
    def n(self) -> int:
        return self.true_pass + self.false_pass + self.false_fail + self.true_fail

    @property
    def agreement(self) -> float | None:
        """Return the share of equal judgements; None without any."""
        return (self.true_pass + self.true_fail) / self.n if self.n else None

    @property
    def balanced_accuracy(self) -> float | None:
        """Return the mean of the shares found among good and among bad; None where one lacks."""
        good = self.true_pass + self.false_fail
        bad = self.true_fail + self.false_pass
        return (self.true_pass / good + self.true_fail / bad) / 2 if good and bad else None

    @property
    def kappa(self) -> float | None:
        """Return Cohen's kappa of the table."""
        pairs = [(True, True)] * self.true_pass + [(False, False)] * self.true_fail
        pairs += [(False, True)] * self.false_pass + [(True, False)] * self.false_fail
        return kappa([label for label, _ in pairs], [judgement for _, judgement in pairs])


def confusion(labels: Sequence[bool], judgements: Sequence[bool]) -> Confusion:
    """Return the counts of pairs of a label and a judgement."""
    counts = Counter(zip(labels, judgements, strict=True))
    return Confusion(
        true_pass=counts[True, True],
        false_pass=counts[False, True],
        false_fail=counts[True, False],
        true_fail=counts[False, False],
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
        Threshold(mark, confusion(labels, [score >= mark - _EDGE for score in scores]))
        for mark in sorted(set(scores))
    ]
    rated = [
        (round(accuracy, 9), -round(abs(threshold.value - near), 9), threshold.value, threshold)
        for threshold in thresholds
        if (accuracy := threshold.counts.balanced_accuracy) is not None and accuracy > 0.5 + _EDGE
    ]
    return max(rated, key=lambda row: row[:3])[3] if rated else None


@dataclass(frozen=True)
class CalibrationReport:
    """How a judge's scores of one criterion compare with the labels of people.

    Attributes:
        n: Items with a label and a score. unscored: Items that the judge did not score.
        pass_at: The mark that turns scores, and labels that are grades, into pass or fail.
        kappa: Cohen's kappa of pass and fail; grades_kappa: with quadratic weights, where labels
            are grades.
        flips: Chance that two judgements of one item differ; None without repeats.
        best: The mark that agrees best, and its table; None where none is better than chance.
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
    )


def _passes(value: bool | float, pass_at: float) -> bool:
    return value if isinstance(value, bool) else value >= pass_at - _EDGE
