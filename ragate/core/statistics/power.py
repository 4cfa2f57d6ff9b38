"""What a golden set can see: the power of a gate, and its minimum detectable effect.

And what a wanted effect needs: samples, or baseline runs.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

from ragate.core.statistics.joint_noise import ALONE, JointNoise
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.quantiles import bivariate_tail, normal_tail

POWER = 0.8
_SLACK = 1e-9
_CLOSEST = 0.9999  # correlation of two looks, at most: equal ones are one
_HALVINGS = 16  # to a hundredth of what is printed
MOST_SAMPLES = 100_000
MOST_RUNS = 50
_LEAST = 1e-12
_Z = 1.645


@dataclass(frozen=True)
class Moments:
    """How the drop of one metric scatters in one look, and how if the labels meant nothing.

    The change takes a share u of the samples to zero, so that the mean of this very set falls by
    d, and may reword the answers of the rest, which moves their scores up as often as down. Which
    samples break is settled; the runs and the rewording are random. Figures are those of one
    sample: a mean over n samples scatters by a root of n less.
    """

    noise: Noise
    baseline_runs: int
    candidate_runs: int

    @property
    def run_variance(self) -> float:
        """Variance of one run of one sample."""
        return self.noise.q / 2

    @property
    def between(self) -> float:
        """Variance of a repeated sample's candidate mean minus its baseline mean."""
        return self.run_variance * (1 / self.baseline_runs + 1 / self.candidate_runs)

    def deviation(self, drop: float) -> float:
        """Standard deviation of the drop that is seen: what is broken repeats as zero."""
        broken = drop / self.noise.mean
        rewording = (1 - broken) * self.noise.reworded
        variance = self.between + rewording - broken * self.run_variance / self.candidate_runs
        return math.sqrt(max(variance, _LEAST))

    def null_deviation(self, drop: float) -> float:
        """Standard deviation of the drop when signs are flipped."""
        square = self.noise.weight * self.noise.mean + self.run_variance / self.baseline_runs
        broken = drop / self.noise.mean
        return math.sqrt(max((1 - broken) * self._unbroken + broken * square, _LEAST))

    def excludes(self, drop: float, change: float, n: int) -> bool:
        """Whether a change of `n` samples is too good to be a drop of this size, at 5 %.

        The spread is what it were if the drop were true: broken samples that a lucky set has few of
        are no reason to be sure.
        """
        variance = self.between + self.noise.reworded + drop * (self.noise.weight - drop)
        return change + drop > _Z * math.sqrt(max(variance, _LEAST) / n)

    def unbroken_share(self, drop: float) -> float:
        """Share of the null variance that samples carry which did not break."""
        unbroken = (1 - drop / self.noise.mean) * self._unbroken
        return min(1.0, max(0.0, unbroken / self.null_deviation(drop) ** 2))

    @property
    def _unbroken(self) -> float:
        """Variance of an unbroken sample's difference."""
        return self.between + self.noise.reworded


def fewest_losses(level: float) -> int:
    """Return how many samples must break, none mended, before p can reach `level`: ties halve."""
    return max(1, math.ceil(math.log2(0.5 / level) - _SLACK))


def losses_to_fail(stages: Stages, passes: int, *, metrics: int = 1) -> int:
    """Return the fewest broken samples, none mended, with which this look or the next can be red.

    Args:
        passes: Passes of the candidate that were made.
        metrics: Metrics tested together; none but one of them breaks.
    """
    this_look, missing = fewest_losses(stages.level(passes) / metrics), stages.still_wanted(passes)
    if not missing:
        return this_look
    confirmed = fewest_losses(stages.level(passes + missing) / metrics)
    return min(this_look, max(fewest_losses(SUSPICIOUS / metrics), confirmed))


@dataclass(frozen=True)
class Design:
    """A gate as it would be: how many metrics and runs, at which error.

    Attributes:
        joint: The noise of the metric that breaks beside that of those tested together with it.
        candidate_runs: Runs of the first look.
        confirm: Further runs of a suspicious candidate; 0: there is one look.
        allowed: Smallest drop that can be red, as a share of the range.
        suspicious: Level of the first look from which on the others follow.
    """

    alpha: float = 0.02
    joint: JointNoise = ALONE
    baseline_runs: int = 3
    candidate_runs: int = 1
    confirm: int = 0
    allowed: float = 0.0
    suspicious: float = SUSPICIOUS

    def mde(self, n: int, noise: Noise) -> float | None:
        """Return the smallest drop of `n` samples that is red in 80 % of cases, on [0, 1].

        Returns:
            None where not even the loss of every sample would show.
        """
        if not self.shows(noise.mean, n, noise):
            return None
        low, high = 0.0, noise.mean
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.shows(middle, n, noise) else (middle, high)
        return high

    def shows(self, drop: float, n: int, noise: Noise) -> bool:
        """Return whether a drop is red in 80 % of cases."""
        return self.power(drop, n, noise) >= POWER - _SLACK

    def power(self, drop: float, n: int, noise: Noise) -> float:
        """Return how often the gate is red when the mean of this set truly fell by `drop`.

        The change takes a share of the samples to zero in one metric; what it rewords beside that,
        by `noise.reworded`, moves scores both ways.
        """
        stages = Stages(self.alpha, self.confirm)
        fewest = losses_to_fail(stages, self.candidate_runs)
        if not drop * noise.reach * n >= fewest - _SLACK:
            return 0.0
        first = _LookPower(self, noise, n, self.candidate_runs)
        if not self.confirm:
            return first.chance(drop, first.threshold(drop, self.alpha))
        last = _LookPower(self, noise, n, self.candidate_runs + self.confirm)
        clear = first.threshold(drop, stages.level(first.runs))
        confirmed = last.threshold(drop, stages.level(last.runs))
        return first.chance(drop, clear) + _red_at_last(first, last, drop, clear, confirmed)


class _LookPower:
    """One test: its thresholds on the drop of the mean, and the chance to exceed them."""

    def __init__(self, design: Design, noise: Noise, n: int, runs: int) -> None:
        self.design = design
        self.runs = runs
        self.n = n
        self.moments = Moments(noise, design.baseline_runs, runs)

    def threshold(self, drop: float, level: float) -> float:
        """Return the drop from which on this look is red at `level`."""
        return max(self.proven(drop, level), self.design.allowed)

    def proven(self, drop: float, level: float) -> float:
        """Return the drop from which on p is `level` or less."""
        shared = self.moments.unbroken_share(drop)
        z = self.design.joint.critical_value(level, unbroken=shared)
        return z * self.moments.null_deviation(drop) / math.sqrt(self.n)

    def score(self, drop: float, threshold: float) -> float:
        """Return a threshold in standard deviations from the true drop."""
        return (threshold - drop) * math.sqrt(self.n) / self.moments.deviation(drop)

    def chance(self, drop: float, threshold: float) -> float:
        """Return how often the drop that is seen exceeds the threshold."""
        return normal_tail(self.score(drop, threshold))


def _red_at_last(
    first: _LookPower, last: _LookPower, drop: float, clear: float, confirmed: float
) -> float:
    """Return how often the first look is suspicious and not clear, and the last one red."""
    suspicious = min(first.proven(drop, first.design.suspicious), clear)
    y = last.score(drop, confirmed)
    # The last look holds the runs of the first, so its variance is their covariance.
    ratio = last.moments.deviation(drop) / first.moments.deviation(drop)
    correlation = min(ratio, _CLOSEST)
    low, high = (bivariate_tail(first.score(drop, x), y, correlation) for x in (suspicious, clear))
    return low - high


def up_to_a_thousandth(drop: float) -> float:
    """Round up, as every printed minimum detectable effect is."""
    return math.ceil(drop * 1000 - 1e-6) / 1000


def samples_needed(drop: float, noise: Noise, design: Design) -> int | None:
    """Return the fewest samples that show `drop`; None where 100,000 would not."""
    sizes = range(1, MOST_SAMPLES + 1)
    fewer = bisect_left(sizes, True, key=lambda n: design.shows(drop, n, noise))
    return None if fewer == MOST_SAMPLES else sizes[fewer]


def runs_needed(drop: float, n: int, noise: Noise, design: Design) -> int | None:
    """Return the fewest baseline runs with which `n` samples show `drop`, or None."""
    for runs in range(1, MOST_RUNS + 1):
        if replace(design, baseline_runs=runs).shows(drop, n, noise):
            return runs
    return None
