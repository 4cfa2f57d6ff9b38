"""Counts of a yes-or-no judgement against labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.kappa import kappa


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
