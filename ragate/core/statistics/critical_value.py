"""How many standard deviations a drop must be from zero to be red among several metrics."""

from __future__ import annotations

import math
from functools import lru_cache

from ragate.core.statistics.quantiles import incomplete_beta, normal_tail, root

_FARTHEST = 12.0


@lru_cache(maxsize=4096)
def critical_value(level: float, *, metrics: int, carriers: float) -> float:
    """Return what a metric's standardised drop must exceed to be red at `level`.

    Of an unchanged metric only few samples differ between runs, and a sum of few terms never
    reaches far. The broken metric moves many, so its own tail is a normal one.

    Args:
        metrics: Metrics tested together, this one included.
        carriers: Samples that carry the noise of each of the others.
    """

    def beyond(z: float) -> float:
        return normal_tail(z) + (metrics - 1) * coin_tail(z, carriers) - level

    return root(beyond, -_FARTHEST, _FARTHEST)


def coin_tail(z: float, coins: float) -> float:
    """Return how often the standardised sum of so many fair signs exceeds `z`; half of a tie."""
    if coins <= 0:
        return 0.0
    heads = (coins + z * math.sqrt(coins)) / 2 + 0.5
    if heads <= 0:
        return 1.0
    return 0.0 if heads >= coins + 1 else incomplete_beta(heads, coins - heads + 1, 0.5)


def skewed(z: float, skewness: float) -> float:
    """Return the quantile of a skewed distribution that is `z` for a normal one.

    Source: the first term of Cornish and Fisher's expansion.
    """
    return z + (z * z - 1) * skewness / 6
