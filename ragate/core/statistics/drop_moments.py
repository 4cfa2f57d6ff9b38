"""How the drop of a set scatters, and how it would if the labels meant nothing.

The change takes a share u of the samples to zero, so that the mean of this very set falls by d, and
may reword the answers of the rest, which moves their scores up as often as down. Which samples
break is settled; the runs and the rewording are random. Figures are those of one sample: a mean
over n samples scatters by a root of n less.
"""

import math
from dataclasses import dataclass

from ragate.core.statistics.metric_noise import Noise

_LEAST = 1e-12
_Z = 1.645


@dataclass(frozen=True)
class Moments:
    """One metric in one look."""

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
