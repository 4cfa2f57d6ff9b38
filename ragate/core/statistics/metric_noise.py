"""How one metric behaves from run to run and from sample to sample, read off its baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragate.core.statistics.score_columns import Floats

ASSUMED_NOISE = 0.05
YES_OR_NO = 0.25  # the most that scores on [0, 1] can vary between samples
REWORDING = 0.25  # assumed; measured .08 of another version of an application, .43 of other systems
_NONE = 1e-9


@dataclass(frozen=True)
class Noise:
    """One metric's scores on [0, 1], higher is better; the defaults are those of yes or no.

    Attributes:
        q: Variance of the difference of two runs of one sample; for yes-or-no scores the share of
            samples whose verdict differs between two runs.
        measured: False where q is assumed.
        mean: Mean score.
        weight: Mean square over mean of the samples' true scores: 1 for scores of 0 and 1.
        reach: Broken samples for each whole point that the sum of the scores loses, at least 1.
        between: Variance of the samples' true scores: how far a score can move at all.
        reworded: Variance that rewording adds to the difference of a sample that did not break.
    """

    q: float = ASSUMED_NOISE
    measured: bool = False
    mean: float = 1.0
    weight: float = 1.0
    reach: float = 1.0
    between: float = YES_OR_NO
    reworded: float = 0.0

    def when_reworded(self, share: float) -> Noise:
        """Return the noise where a change also rewords this share of the answers.

        Two answers to one question that are worded otherwise differ by `REWORDING` of what two
        answers to two questions do.
        """
        return replace(self, reworded=share * 2 * REWORDING * self.between)

    def with_runs(self, scores: Floats) -> Noise:
        """Return the noise with what other runs of the same samples differ by, where they do."""
        q = _between_runs(scores, scores.shape[1])
        return self if q is None else replace(self, q=q, measured=True)

    def as_seen(self, differences: Floats, *, baseline_runs: int, candidate_runs: int) -> Noise:
        """Return the noise with the rewording that a candidate shows.

        Rewording that harms nothing moves scores up as often as down, and what breaks never rises:
        so the samples that rise tell how much was reworded among those that did not break. How
        many broke, the fall of the mean tells.

        Args:
            differences: (samples,) candidate mean minus baseline mean on [0, 1], higher is better.
        """
        rising = differences[differences > 0]
        if not rising.size:
            return replace(self, reworded=0.0)
        broken = max(0.0, -float(differences.mean())) / max(self.mean, _NONE)
        unbroken = max(1 - broken, rising.size / differences.size)
        moved = 2 * float((rising**2).sum()) / differences.size / unbroken
        repeated = self.q / 2 * (1 / baseline_runs + 1 / candidate_runs)
        return replace(self, reworded=max(0.0, moved - repeated))


def measure_noise(baseline: Floats, *, runs: int | None = None) -> Noise:
    """Return a metric's noise from its baseline scores (samples, runs) on [0, 1].

    Args:
        runs: Passes made, where `baseline` leaves out those that repeat another.
    """
    scored = baseline[np.isfinite(baseline).any(axis=1)]
    if not scored.size:
        return Noise()
    q = _between_runs(scored, runs or baseline.shape[1])
    measured = q is not None
    q = ASSUMED_NOISE if q is None else q
    means = np.nanmean(scored, axis=1)
    mean = float(means.mean())
    passes = float(np.isfinite(scored).sum(axis=1).mean())
    inside = q / 2 / passes  # a mean over few runs holds their noise
    between = max(0.0, float(means.var()) - inside)
    if mean <= 0:
        return Noise(q, measured=measured, between=between)
    square = float((means**2).mean()) - inside
    return Noise(
        q,
        measured=measured,
        mean=mean,
        weight=max(square / mean, mean),
        reach=float((means > 0).mean()) / mean,
        between=between,
    )


def _between_runs(scored: Floats, runs: int) -> float | None:
    """Return q, None where no sample has two runs."""
    twice = scored[np.isfinite(scored).sum(axis=1) >= 2]
    if not twice.size:
        return None
    q = 2 * float(np.nanvar(twice, axis=1, ddof=1).mean())
    # Where nothing differed, one sample in one run might have.
    return q if q >= _NONE else 1 / (len(twice) * (runs - 1))
