"""How often questions that must pass fail an unchanged system, by how steady its runs are."""

import math
from dataclasses import dataclass

import numpy as np

from ragate.core.statistics.score_columns import Mask

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
        return tail(tries, fails, self.b, self.a + self.runs)


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


def tail(tries: int, fails: int, failed: float, passed: float) -> float:
    """Return how often so many of so many tries fail: their chance is beta distributed."""
    scale = log_beta(passed, failed)
    return sum(
        math.comb(tries, x) * math.exp(log_beta(passed + tries - x, failed + x) - scale)
        for x in range(fails, tries + 1)
    )


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
