"""How long a comparison and a decision take, and how much memory.

    python benchmarks/decision_speed.py

Run with one thread (OMP_NUM_THREADS=1) to measure one core.
"""

from __future__ import annotations

import datetime
import resource
import time
from typing import NamedTuple

import numpy as np

from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.hashing import content_hash
from ragate.core.statistics.permutation import Block, relabel, step_down
from ragate.models import (
    DecisionSettings,
    MetricInfo,
    Needs,
    Record,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
)


class Size(NamedTuple):
    """A comparison: samples, metrics, runs a side."""

    samples: int
    metrics: int
    base: int
    cand: int


def simulated(samples: list[Sample], size: Size, runs: int, words: str, seed: int) -> Run:
    """Return a run of yes-or-no scores."""
    rng = np.random.default_rng(seed)
    chance = np.random.default_rng(0).beta(5, 1, (size.samples, 1, size.metrics))
    scores = (rng.random((size.samples, runs, size.metrics)) < chance).astype(float)
    names = [f"m{metric}" for metric in range(size.metrics)]
    records = tuple(
        Record(
            sample_id=sample.id,
            run=run,
            content_hash=content_hash(sample),
            retrieval_hash=words,
            output_hash=f"{words} {run} {row}",
            output=SystemOutput(answer=words),
            scores={
                name: Score(metric=name, value=float(value))
                for name, value in zip(names, scores[row, run], strict=True)
            },
        )
        for run in range(runs)
        for row, sample in enumerate(samples)
    )
    infos = {name: MetricInfo(name=name, needs=Needs.JUDGE) for name in names}
    system = SystemInfo(use="simulated", fingerprint="same")
    return Run(manifest=RunManifest(system=system, metrics=infos, runs=runs), records=records)


def peak() -> float:
    """Return the peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(size: Size) -> str:
    """Time `compare` and `decide`."""
    samples = [Sample(id=f"s{row:05d}", query=f"question {row}") for row in range(size.samples)]
    before = simulated(samples, size, size.base, "before", 1)
    after = simulated(samples, size, size.cand, "after", 2)
    started = time.perf_counter()
    comparison = compare(before, after, samples)
    compared = time.perf_counter()
    rules = [Rule(metric=name) for name in before.manifest.metrics]
    decide(rules, comparison, DecisionSettings(), today=datetime.date(2026, 1, 1))
    done = time.perf_counter()
    return (
        f"n {size.samples:>6,} metrics {size.metrics:>2} runs {size.base}x{size.cand}: "
        f"compare {compared - started:.2f} s, decide {done - compared:.2f} s, peak {peak():.0f} MB"
    )


def measure_test() -> str:
    """Time the family's test alone: n 2,000, six metrics, 3x3, 9,999 relabellings."""
    values = np.random.default_rng(0).random((2000, 6, 6))
    started = time.perf_counter()
    step_down(relabel([Block(values, 3)], seed=1))
    seconds = time.perf_counter() - started
    return f"test alone, n 2,000, six metrics, 3x3, B 9,999: {seconds:.2f} s, peak {peak():.0f} MB"


if __name__ == "__main__":
    print(measure_test())
    print(measure(Size(2_000, 6, 3, 3)))
    print(measure(Size(10_000, 20, 1, 1)))
