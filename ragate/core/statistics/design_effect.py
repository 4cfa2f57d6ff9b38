"""Whether samples that belong together share their noise, read off the baseline's own runs."""

import math
from collections.abc import Mapping

import numpy as np

from ragate.core.statistics.quantiles import normal_quantile, normal_tail
from ragate.core.statistics.score_columns import Floats, Ints, sums_by_unit

DRAWS = 1_999
FEWEST_DRAWS = 499
MOST_SAMPLES = 20_000  # above, nobody waits for it
_CELLS = 4_000_000
LEVEL = 0.01
_NONE = 1e-9


def design_effect(residuals: Floats, clusters: Ints) -> float:
    """Return how many times as much the sum of all scatters as if samples were independent.

    Args:
        residuals: (samples, runs, metrics) each run minus the mean of its sample's runs.
        clusters: (samples,) number of each sample's cluster.
    """
    alone = (residuals**2).sum(axis=(0, 1))
    noisy = alone > _NONE
    together = (sums_by_unit(residuals, clusters) ** 2).sum(axis=(0, 1))
    return float((together[noisy] / alone[noisy]).mean()) if noisy.any() else 1.0


def shared_noise(residuals: Floats, keys: Mapping[str, Ints]) -> dict[str, float]:
    """Return the design effect of every key whose clusters share noise that luck does not explain.

    The runs of each sample are shuffled: then nothing is shared. A key is named at 1 % over all of
    them.

    Args:
        keys: Clusters (samples,) by name.
    """
    seen = {key: design_effect(residuals, clusters) for key, clusters in keys.items()}
    seen = {key: effect for key, effect in seen.items() if effect > 1}
    if not seen or residuals.shape[1] < 2 or len(residuals) > MOST_SAMPLES:
        return {}
    draws = min(DRAWS, max(FEWEST_DRAWS, _CELLS // (residuals.shape[0] * residuals.shape[1])))
    draws = max(draws, math.ceil(len(keys) / LEVEL))  # with fewer no key could be named
    rng = np.random.default_rng(0)
    beyond = dict.fromkeys(seen, 0)
    for _ in range(draws):
        order = rng.random(residuals.shape[:2]).argsort(axis=1)
        shuffled = np.take_along_axis(residuals, order[:, :, None], axis=1)
        for key in seen:
            beyond[key] += design_effect(shuffled, keys[key]) >= seen[key] - _NONE
    most = LEVEL / len(keys) * (draws + 1)
    return {key: effect for key, effect in seen.items() if beyond[key] + 1 <= most}


def level_with(effect: float, alpha: float) -> float:
    """Return how often a test at `alpha` is red where the noise is shared and it does not know."""
    return normal_tail(normal_quantile(1 - alpha) / float(np.sqrt(effect)))
