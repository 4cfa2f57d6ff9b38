"""How often questions that must pass fail an unchanged system, by how steady its runs are."""

import math
from dataclasses import dataclass

import numpy as np

from ragate.core.statistics.score_columns import Mask

LADDER = ((3, 2), (4, 3), (6, 4))  # tries, and how many of them fail a question
_LEAST_ICC, _MOST_ICC = 0.02, 0.9


@dataclass(frozen=True)
class Steadiness:
    """How the chances to pass differ between questions: a beta distribution.

    Attributes:
        runs: Baseline runs that each question had.
    """

    a: float
    b: float
    runs: int

    def fails(self, tries: int, fails: int) -> float:
        """Return how often a question that passed all runs fails so many of so many tries."""
        a, b = self.a + self.runs, self.b
        scale = log_beta(a, b)
        return sum(
            math.comb(tries, failed) * math.exp(log_beta(a + tries - failed, b + failed) - scale)
            for failed in range(fails, tries + 1)
        )

    def any_fails(self, questions: int, tries: int, fails: int) -> float:
        """Return how often at least one of so many such questions fails."""
        return 1 - (1 - self.fails(tries, fails)) ** questions

    def proposed(self, questions: int, alpha: float) -> tuple[int, int]:
        """Return the first step of the ladder that is seldom enough red, else its last."""
        steps = (step for step in LADDER if self.any_fails(questions, *step) <= alpha)
        return next(steps, LADDER[-1])


def steadiness(passed: Mask) -> Steadiness | None:
    """Return what the baseline's runs show of their questions, None of fewer than two runs.

    Half a pass of one more run is added, so that nothing is certain by luck alone; how much
    questions differ is held between nearly nothing and nearly all.

    Args:
        passed: (questions, runs).
    """
    questions, runs = passed.shape
    if runs < 2 or not questions:
        return None
    mean = (float(passed.sum()) + 0.5) / (passed.size + 1)
    differ = 2 * float(passed.var(axis=1, ddof=1).mean())
    icc = float(np.clip(1 - differ / (2 * mean * (1 - mean)), _LEAST_ICC, _MOST_ICC))
    strength = 1 / icc - 1
    return Steadiness(mean * strength, (1 - mean) * strength, runs)


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
