"""How many samples a candidate may lose by bad luck, by what the baseline's runs lost."""

import math

from ragate.core.statistics.must_pass_odds import log_beta

QUANTILE = 0.98


def most_lost(n: int, *, lost: int, runs: int) -> int:
    """Return the most of `n` samples that a system loses in 98 of 100 runs.

    The chance of losing one is not known, only how many the baseline lost: so the number is that of
    a beta-binomial distribution, of which half a loss more is assumed than was seen.

    Args:
        lost: Of the baseline's `runs` of samples, those without a score.
    """
    a, b = lost + 0.5, runs - lost + 0.5
    chance = math.exp(log_beta(a, b + n) - log_beta(a, b))
    most, total = 0, chance
    while total < QUANTILE and most < n:
        chance *= (n - most) / (most + 1) * (a + most) / (b + n - most - 1)
        most += 1
        total += chance
    return most
