"""How far each metric's mean falls where answers are worded otherwise and say the same.

    python -m benchmarks.reworded_falls [--output FILE]

Every answer of every set of `answer_sets` is scored as it is and reworded (`rewordings.py`), three
times each with fixed seeds. The largest fall of any set is what the metric's class states
(`falls_reworded`), rounded up to a thousandth: it is allowed beside the hundredth, and a metric
that falls by more than half a point does not gate by default.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.answer_sets import SETS
from benchmarks.harmless import Bench, Change, applying, unchanged
from benchmarks.rewordings import reworded
from benchmarks.shares import print_lines
from ragate import plugins

TIMES = 3


def falls(name: str) -> dict[str, float]:
    """Return by metric how far its mean falls on one set, as a share of its range."""
    pools = SETS[name]()
    bench = Bench(pools, applying(pools))
    infos = {metric.info.name: metric.info for metric in bench.metrics}
    moves: dict[str, list[float]] = {metric: [] for metric in infos}
    for time in range(TIMES):
        before = bench.one_run(pools, unchanged, random.Random(time))
        after = bench.one_run(pools, _alike(time), random.Random(time))
        for old, new in zip(before, after, strict=True):
            for metric, info in infos.items():
                values = old.scores[metric].value, new.scores[metric].value
                if values[0] is not None and values[1] is not None:
                    moves[metric].append(info.goodness(values[0]) - info.goodness(values[1]))
    return {metric: float(np.mean(each)) for metric, each in moves.items() if each}


def _alike(seed: int) -> Change:
    own = random.Random(f"words {seed}")
    # The draws of answers must be those of the run that is left as it is.
    return lambda answer, _rng: reworded(answer, own)


def lines() -> Iterator[str]:
    """Yield each metric with its falls, the largest, and what its class states."""
    by_set = {name: falls(name) for name in SETS}
    yield f"{'metric':<24}" + "".join(f"{name:>14}" for name in by_set) + f"{'stated':>10}"
    for metric in sorted({metric for each in by_set.values() for metric in each}):
        found = [each.get(metric) for each in by_set.values()]
        stated = plugins.metric(metric).info.falls_reworded
        largest = max(0.0, *(fall for fall in found if fall is not None))
        if largest == 0.0 == stated:
            continue
        shown = "".join(f"{'-' if fall is None else f'{fall:.4f}':>14}" for fall in found)
        right = "" if stated == math.ceil(largest * 1000 - 1e-9) / 1000 else "  differs"
        yield f"{metric:<24}{shown}{stated:>10.3f}{right}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--output", type=Path)
    print_lines(lines(), parser.parse_args().output)


if __name__ == "__main__":
    main()
