"""Bounds of a mean difference and of a mean: printed beside the verdict, which the test decides."""

import math

import numpy as np

from ragate.core.statistics.quantiles import normal_quantile, t_quantile
from ragate.core.statistics.score_columns import Floats, Ints, sums_by_unit


def difference_interval(differences: Floats, *, error: float = 0.025) -> tuple[float, float]:
    """Return both bounds of the mean of per-sample differences, whose range is [-1, 1].

    One sample that lost all and one that won all are added to those that were seen: a break that
    few samples have is missing in many sets, and a set without it would look sure of too much.

    Args:
        error: How often the true mean lies beyond each bound.
    """
    n = len(differences) + 2
    mean = float(differences.sum()) / n
    variance = (float((differences**2).sum()) + 2) / n - mean**2
    reach = normal_quantile(1 - error) * math.sqrt(variance / n)
    return max(mean - reach, -1.0), min(mean + reach, 1.0)


def mean_bound(values: Floats, error: float, *, upper: bool, binary: bool) -> float:
    """Return the one-sided bound of a mean of scores in [0, 1]: Wilson or Student's t."""
    n, mean = len(values), float(values.mean())
    sign = 1.0 if upper else -1.0
    if binary:
        z = normal_quantile(1 - error)
        centre = mean + z * z / (2 * n)
        reach = z * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
        return (centre + sign * reach) / (1 + z * z / n)
    return mean + sign * _reach(values, error)


def by_cluster(values: Floats, clusters: Ints) -> Floats:
    """Return one value a cluster, whose mean is that of `values` and scatters as theirs does.

    Samples that stand or fall together are no independent draws: a bound takes clusters for them.

    Args:
        clusters: (samples,) number of each sample's cluster.
    """
    mean = float(values.mean())
    sums = sums_by_unit(values - mean, np.unique(clusters, return_inverse=True)[1])
    return mean + sums * (len(sums) / len(values))


def failing_mean(limit: float, values: Floats, error: float, *, upper: bool, binary: bool) -> float:
    """Return the mean at which the bound of `mean_bound` meets `limit`."""
    sign = 1.0 if upper else -1.0
    if binary:
        z = normal_quantile(1 - error)
        inside = max(limit * (1 - limit), 0.0)
        return limit - sign * z * math.sqrt(inside / len(values))
    return limit - sign * _reach(values, error)


def _reach(values: Floats, error: float) -> float:
    n = len(values)
    if n < 2 or float(np.ptp(values)) < 1e-12:
        return float(1 - error ** (1 / n))
    return t_quantile(1 - error, n - 1) * float(values.std(ddof=1)) / math.sqrt(n)
