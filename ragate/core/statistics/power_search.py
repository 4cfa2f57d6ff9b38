"""What a wanted minimum detectable effect needs: samples, or baseline runs."""

from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design

MOST_SAMPLES = 100_000
MOST_RUNS = 50


def samples_needed(drop: float, noise: Noise, design: Design) -> int | None:
    """Return the fewest samples that show `drop`; None where 100,000 would not."""
    low, high = 0, 1
    while not design.shows(drop, high, noise):
        if high >= MOST_SAMPLES:
            return None
        low, high = high, min(high * 2, MOST_SAMPLES)
    while high - low > 1:
        middle = (low + high) // 2
        if design.shows(drop, middle, noise):
            high = middle
        else:
            low = middle
    return high


def runs_needed(drop: float, n: int, noise: Noise, design: Design) -> int | None:
    """Return the fewest baseline runs with which `n` samples show `drop`, or None."""
    tried = range(1, MOST_RUNS + 1)
    return next((runs for runs in tried if design.with_baseline(runs).shows(drop, n, noise)), None)
