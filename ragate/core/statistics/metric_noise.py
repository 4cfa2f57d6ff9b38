"""How one metric behaves from run to run and from sample to sample, read off its baseline."""

from dataclasses import dataclass

import numpy as np

from ragate.core.statistics.score_columns import Floats

ASSUMED_NOISE = 0.05
_DIGITS = 6  # scores that differ further down are equal
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
        grain: Step of the scores: 1 for yes or no, a quarter for grades, 0 where they vary freely.
        carriers: Share of the samples that carry the noise: 1 where all vary alike.
    """

    q: float = ASSUMED_NOISE
    measured: bool = False
    mean: float = 1.0
    weight: float = 1.0
    reach: float = 1.0
    grain: float = 1.0
    carriers: float = ASSUMED_NOISE


def measure_noise(baseline: Floats, *, runs: int | None = None) -> Noise:
    """Return a metric's noise from its baseline scores (samples, runs) on [0, 1].

    Args:
        runs: Passes made, where `baseline` leaves out those that repeat another.
    """
    scored = baseline[np.isfinite(baseline).any(axis=1)]
    if not scored.size:
        return Noise()
    q, carriers = _between_runs(scored, runs or baseline.shape[1])
    measured = q is not None
    q = ASSUMED_NOISE if q is None else q
    means = np.nanmean(scored, axis=1)
    mean = float(means.mean())
    if mean <= 0:
        return Noise(q, measured=measured, carriers=carriers)
    passes = float(np.isfinite(scored).sum(axis=1).mean())
    square = float((means**2).mean()) - q / 2 / passes  # a mean over few runs holds their noise
    return Noise(
        q,
        measured=measured,
        mean=mean,
        weight=max(square / mean, mean),
        reach=float((means > 0).mean()) / mean,
        grain=_grain(scored),
        carriers=carriers,
    )


def _between_runs(scored: Floats, runs: int) -> tuple[float | None, float]:
    """Return q, None where no sample has two runs, and the share of samples that carry it."""
    twice = scored[np.isfinite(scored).sum(axis=1) >= 2]
    if not twice.size:
        return None, ASSUMED_NOISE
    q = 2 * float(np.nanvar(twice, axis=1, ddof=1).mean())
    if q < _NONE:  # nothing differed: one sample in one run might have
        least = 1 / (len(twice) * (runs - 1))
        return least, least
    pairs = [twice[:, a] - twice[:, b] for a in range(twice.shape[1]) for b in range(a)]
    differences = np.concatenate(pairs)
    differences = differences[np.isfinite(differences)]
    fourth = float((differences**4).mean())
    return q, min(1.0, float((differences**2).mean()) ** 2 / fourth)


def _grain(scored: Floats) -> float:
    values = np.unique(np.round(scored[np.isfinite(scored)], _DIGITS))
    return float(np.diff(values).min()) if len(values) > 1 else 1.0
