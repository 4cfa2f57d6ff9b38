"""Intervals of a mean difference: printed beside the verdict, which the test decides."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragate.core.statistics.quantiles import normal_quantile, root, t_quantile
from ragate.core.statistics.score_columns import Floats, Ints, sums_by_unit

DRAWS = 1_999
RESAMPLE = 2_000  # samples; above, the bootstrap's t is Student's for all purposes
_EDGE = 1e-9
_FEW = 200
_SAME = (
    1e-5  # of the mean square: a resample's variance below is rounding, so all its values are one
)
_BLOCK = 500_000


@dataclass(frozen=True)
class Interval:
    """Bounds of a mean difference at any one-sided error.

    Attributes:
        lower, upper: One-sided bounds as functions of their error.
    """

    lower: Callable[[float], float]
    upper: Callable[[float], float]

    def two_sided(self) -> tuple[float, float]:
        """Return both bounds at 95 %."""
        return self.lower(0.025), self.upper(0.025)


def difference_interval(differences: Floats, *, seed: int, paired_binary: bool) -> Interval:
    """Return the interval of the mean of per-sample differences in [-1, 1].

    Args:
        paired_binary: One run a side and only 0 and 1 as scores: Tango's score interval applies.
    """
    mean = float(differences.mean())
    if float(np.ptp(differences)) < 1e-12:
        return _all_equal(mean, len(differences))
    if paired_binary:
        worse, better = int((differences < 0).sum()), int((differences > 0).sum())
        return tango(worse, better, len(differences))
    return _studentised(differences, mean, seed)


def _all_equal(mean: float, n: int) -> Interval:
    """Nothing varied: a kind that n samples never showed has at most this share, at 95 %."""
    reach = 1 - 0.05 ** (1 / n)
    return Interval(lambda _: max(mean - reach, -1.0), lambda _: min(mean + reach, 1.0))


def tango(worse: int, better: int, n: int) -> Interval:
    """Return the score interval of (better - worse) / n for paired yes and no.

    Source: Tango, Statistics in Medicine 17 (1998), 891-908.
    """
    mean = (better - worse) / n

    def bound(error: float, side: int) -> float:
        z, end = side * normal_quantile(1 - error), side * (1 - _EDGE)
        if side * mean >= 1 - _EDGE:
            return float(side)
        return root(lambda x: _score(worse, better, n, x) + z, *sorted((mean, end)))

    return Interval(lambda error: bound(error, -1), lambda error: bound(error, 1))


def _score(worse: int, better: int, n: int, x: float) -> float:
    """Score statistic of the hypothesis that the true difference is `x`."""
    linear = -better - worse + (2 * n - better + worse) * x
    root_part = math.sqrt(max(linear * linear + 8 * n * worse * x * (1 - x), 0.0))
    share = (root_part - linear) / (4 * n)
    variance = n * (2 * share + x * (1 - x))
    return (better - worse - n * x) / math.sqrt(max(variance, 1e-12))


def _studentised(differences: Floats, mean: float, seed: int) -> Interval:
    """Bootstrap the t statistic; never narrower than Student's t."""
    n = len(differences)
    error_of_mean = float(differences.std(ddof=1)) / math.sqrt(n)
    t_values = _bootstrap(differences, mean, seed)

    def quantile(p: float) -> float:
        student = t_quantile(p, n - 1)
        if len(t_values) < _FEW:
            return student
        drawn = float(np.quantile(t_values, p))
        return min(student, drawn) if p < 0.5 else max(student, drawn)

    return Interval(
        lambda error: max(mean - quantile(1 - error) * error_of_mean, -1.0),
        lambda error: min(mean - quantile(error) * error_of_mean, 1.0),
    )


def _bootstrap(differences: Floats, mean: float, seed: int) -> Floats:
    n = len(differences)
    if n > RESAMPLE:
        return np.empty(0)
    times = _resamples(n, seed)
    centred = (differences - mean).astype(np.float32)
    means = (times @ centred).astype(np.float64) / n
    squares = (times @ (centred * centred)).astype(np.float64) / n
    variance = squares - means**2
    moved = variance > _SAME * squares
    return np.sort(means[moved] / np.sqrt(variance[moved] / (n - 1)))


@lru_cache(maxsize=2)
def _resamples(n: int, seed: int) -> npt.NDArray[np.float32]:
    """(resamples, n): how often each of n values is drawn; shared by the metrics of a run."""
    bits = np.random.PCG64(seed)
    times = np.empty((DRAWS, n), dtype=np.float32)
    rows = max(1, _BLOCK // n)
    for start in range(0, DRAWS, rows):
        count = min(rows, DRAWS - start)
        raw = bits.random_raw(count * n) >> np.uint64(32)
        drawn = ((raw * np.uint64(n)) >> np.uint64(32)).astype(np.intp)
        drawn += np.repeat(np.arange(count) * n, n)
        times[start : start + count] = np.bincount(drawn, minlength=count * n).reshape(count, n)
    return times


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
