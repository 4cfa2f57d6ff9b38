"""What judgements and labels agree on: in counts of yes and no, by grades, and how sure that is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.judging.kappa import kappa

_EDGE = 1e-9
_DRAWS = 4000
_SEED = 20260101  # pinned: the same labels have the same interval


def weighted_kappa(grades: Sequence[float], other_grades: Sequence[float]) -> float | None:
    """Return kappa with quadratic weights, for grades: a near miss counts less than a far one.

    Formula: 1 - sum (a_i - b_i)^2 / expected sum, over all n^2 pairs divided by n. None where the
    expected sum is 0.

    Source:
        Cohen, Weighted kappa, 1968.
    """
    n = len(grades)
    if not n:
        return None
    squares = sum((a - b) ** 2 for a, b in zip(grades, other_grades, strict=True))
    ours, theirs = Counter(grades), Counter(other_grades)
    expected = (
        sum((a - b) ** 2 * count * theirs[b] for a, count in ours.items() for b in theirs) / n
    )
    return None if expected < _EDGE else 1 - squares / expected


def kappa_interval(counts: tuple[int, int, int, int]) -> tuple[float, float] | None:
    """Return the 95 % interval of Cohen's kappa of a table, by percentiles of bootstrap draws.

    Args:
        counts: Items that both pass, that the second alone passes, that the first alone passes, and
            that both fail.

    Returns:
        None where kappa is undefined in more than one draw of twenty: there are too few items, or
        nearly all say the same.
    """
    total = sum(counts)
    if not total:
        return None
    random = np.random.Generator(np.random.PCG64(_SEED))
    draws = random.multinomial(total, np.array(counts) / total, size=_DRAWS)
    both, second, first, neither = (draws[:, column] / total for column in range(4))
    equal = both + neither
    chance = (both + first) * (both + second) + (neither + second) * (neither + first)
    defined = chance < 1 - _EDGE
    if defined.mean() < 0.95:
        return None
    kappas = (equal[defined] - chance[defined]) / (1 - chance[defined])
    low, high = np.percentile(kappas, [2.5, 97.5])
    return float(low), float(high)


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
