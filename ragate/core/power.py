"""What a golden set can see: the minimum detectable effect, and what a wanted one needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.columns import Floats
from ragate.core.quantiles import binomial_tail, normal_quantile, root

POWER = 0.8
ASSUMED_NOISE = 0.05
MOST_SAMPLES = 100_000
MOST_RUNS = 50


@dataclass(frozen=True)
class Noise:
    """How one metric behaves from run to run and from sample to sample, on [0, 1].

    Attributes:
        q: Variance of the difference of two runs of one sample; for yes-or-no scores the share of
            samples whose verdict differs between two runs.
        known: False where q is assumed.
        weight: Mean square over mean of the scores: 1 for yes-or-no scores.
        reach: Share of samples that a break of a sample lowers the mean by, as its inverse: 1 for
            yes-or-no scores.
    """

    q: float = ASSUMED_NOISE
    known: bool = False
    weight: float = 1.0
    reach: float = 1.0


def measure_noise(baseline: Floats, *, runs: int | None = None) -> Noise:
    """Return a metric's noise from its baseline scores (samples, runs) on [0, 1].

    Args:
        runs: Passes made, where `baseline` leaves out those that repeat another.
    """
    scored = baseline[np.isfinite(baseline).any(axis=1)]
    if not scored.size:
        return Noise()
    means = np.nanmean(scored, axis=1)
    mean = float(means.mean())
    weight = float((means**2).mean()) / mean if mean > 0 else 1.0
    reach = float((means > 0).mean()) / mean if mean > 0 else 1.0
    twice = scored[np.isfinite(scored).sum(axis=1) >= 2]
    if not twice.size:
        return Noise(weight=weight, reach=reach)
    seen = 2 * float(np.nanvar(twice, axis=1, ddof=1).mean())
    least = 1 / (len(twice) * ((runs or baseline.shape[1]) - 1))
    return Noise(max(seen, least), known=True, weight=weight, reach=reach)


def fewest_losses(level: float, *, baseline_runs: int, candidate_runs: int, flips: bool) -> int:
    """Return how many samples must break, none mended, before the test can reach `level`.

    Args:
        flips: True for the test by sign flips (also one run a side), where ties count half.
    """
    ways, half = math.comb(baseline_runs + candidate_runs, candidate_runs), 1.0
    if flips or baseline_runs + candidate_runs == 2:
        ways, half = 2, 0.5
    losses = 1
    while half * ways**-losses > level:
        losses += 1
    return losses


def mde(
    n: int,
    noise: Noise,
    *,
    alpha: float,
    metrics: int = 1,
    baseline_runs: int = 3,
    candidate_runs: int = 1,
    flips: bool = False,
    min_drop: float = 0.0,
) -> float | None:
    """Return the smallest true drop of the mean that is red in 80 % of cases, on [0, 1].

    Conservative for several metrics, whose correlation it does not use.

    Returns:
        None where not even the loss of every sample would show.
    """
    level = alpha / metrics
    losses = fewest_losses(
        level, baseline_runs=baseline_runs, candidate_runs=candidate_runs, flips=flips
    )
    if n < losses:
        return None
    flips = flips or baseline_runs + candidate_runs == 2
    choices = 1 if flips else baseline_runs + candidate_runs - 1
    shared = noise.q / 2 * (1 / baseline_runs + 1 / candidate_runs)
    by_noise = _by_noise(n, shared, noise.weight, level, choices)
    by_count = root(lambda d: binomial_tail(losses, n, min(1.0, d * noise.reach)) - POWER, 0.0, 1.0)
    by_limit = _by_limit(n, shared, noise.weight, min_drop) if min_drop > 0 else 0.0
    largest = max(by_noise, by_count, by_limit)
    return largest if largest < 1 - 1e-6 else None


def _by_noise(n: int, shared: float, weight: float, level: float, choices: int) -> float:
    """Drop that stands out from the noise of the runs."""
    z_level, z_power = normal_quantile(1 - level), normal_quantile(POWER)

    def gain(d: float) -> float:
        null = math.sqrt(shared + weight * d / choices)
        return d * math.sqrt(n) - z_level * null - z_power * _spread(d, shared, weight)

    return root(gain, 0.0, 1.0) if gain(1.0) > 0 else 1.0


def _by_limit(n: int, shared: float, weight: float, min_drop: float) -> float:
    """Drop whose estimate exceeds the smallest drop that counts."""
    z = normal_quantile(POWER)

    def gain(d: float) -> float:
        return d - min_drop - z * _spread(d, shared, weight) / math.sqrt(n)

    return root(gain, min_drop, 1.0) if gain(1.0) > 0 else 1.0


def _spread(d: float, shared: float, weight: float) -> float:
    return math.sqrt(max(shared + weight * d - d * d, 1e-9))


def up_to_a_point(drop: float) -> float:
    """Round up to a hundredth."""
    return math.ceil(drop * 100 - 1e-6) / 100


@dataclass(frozen=True)
class Design:
    """A gate as it would be: how many metrics and runs, at which error.

    Attributes:
        flips: True where the generalise claim decides.
    """

    alpha: float = 0.02
    metrics: int = 1
    baseline_runs: int = 3
    candidate_runs: int = 1
    flips: bool = False
    min_drop: float = 0.02

    def mde(self, n: int, noise: Noise) -> float | None:
        """Return the smallest drop that `n` samples show in 80 % of cases, or None."""
        return mde(
            n,
            noise,
            alpha=self.alpha,
            metrics=self.metrics,
            baseline_runs=self.baseline_runs,
            candidate_runs=self.candidate_runs,
            flips=self.flips,
            min_drop=self.min_drop,
        )


def samples_needed(drop: float, noise: Noise, design: Design) -> int | None:
    """Return the fewest samples that show `drop`; None where 100,000 would not."""
    low, high = 0, 1
    while not _shows(high, drop, noise, design):
        if high >= MOST_SAMPLES:
            return None
        low, high = high, min(high * 2, MOST_SAMPLES)
    while high - low > 1:
        middle = (low + high) // 2
        if _shows(middle, drop, noise, design):
            high = middle
        else:
            low = middle
    return high


def runs_needed(drop: float, n: int, noise: Noise, design: Design) -> int | None:
    """Return the fewest baseline runs with which `n` samples show `drop`, or None."""
    for runs in range(1, MOST_RUNS + 1):
        if _shows(n, drop, noise, _with_runs(design, runs)):
            return runs
    return None


def _with_runs(design: Design, runs: int) -> Design:
    return Design(
        design.alpha, design.metrics, runs, design.candidate_runs, design.flips, design.min_drop
    )


def _shows(n: int, drop: float, noise: Noise, design: Design) -> bool:
    seen = design.mde(n, noise)
    return seen is not None and seen <= drop + 1e-9


def power_plot(sizes: Sequence[int], noise: Noise, design: Design, *, width: int = 50) -> str:
    """Return one line a size: the smallest visible drop in points, and a bar of that length."""
    lines = [f"{'samples':>8}  smallest drop seen in 4 of 5 cases, in points"]
    for n in sizes:
        seen = design.mde(n, noise)
        if seen is None:
            lines.append(f"{n:>8}     - no drop can be shown")
        else:
            bar = "#" * max(1, round(seen * width))
            lines.append(f"{n:>8} {up_to_a_point(seen) * 100:>5.0f} {bar}")
    return "\n".join(lines)
