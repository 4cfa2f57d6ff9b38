"""What a wanted minimum detectable effect needs: samples, or baseline runs."""

from collections.abc import Sequence

from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design, up_to_a_thousandth

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


def power_plot(sizes: Sequence[int], noise: Noise, design: Design, *, width: int = 50) -> str:
    """Return one line a size: the smallest visible drop in points, and a bar of that length."""
    lines = [f"{'samples':>8}  smallest drop seen in 4 of 5 cases, in points"]
    for n in sizes:
        mde = design.mde(n, noise)
        if mde is None:
            lines.append(f"{n:>8}      - no drop can be shown")
        else:
            bar = "#" * max(1, round(mde * width))
            lines.append(f"{n:>8} {up_to_a_thousandth(mde) * 100:>6.1f} {bar}")
    return "\n".join(lines)
