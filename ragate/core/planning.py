"""`ragate power`: what a baseline's golden set can see, and what a wanted effect would need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.columns import pair, read_side
from ragate.core.passes import read_passes
from ragate.core.power import (
    Design,
    Noise,
    measure_noise,
    runs_needed,
    samples_needed,
    up_to_a_point,
)
from ragate.models import Run


@dataclass(frozen=True)
class Plan:
    """One metric's power, on a scale from 0 to 1.

    Attributes:
        n: Samples that the metric applies to.
        mde: Smallest drop that is seen in four of five cases; None where none is.
        samples: Samples that the wanted drop needs, and runs: baseline runs with today's samples;
            None where no number does.
    """

    metric: str
    n: int
    noise: Noise
    mde: float | None
    samples: int | None
    runs: int | None

    def calls(self, *, calls_per_sample: float, runs: int, samples: int | None = None) -> int:
        """Return the model calls of recording `runs` baseline runs and one candidate run."""
        return round((samples or self.n) * (runs + 1) * calls_per_sample)


def noise_of(baseline: Run, metric: str) -> tuple[int, Noise]:
    """Return how many samples a metric applies to, and its noise, from a baseline's runs."""
    ids = sorted({record.sample_id for record in baseline.records})
    passes = read_passes(baseline, ids)
    info = baseline.manifest.metrics[metric]
    side = read_side(info, passes.distinct, ids)
    column = pair(info, side, side, read_side(info, passes.distinct, ()))
    values = column.scaled(column.recorded.values[column.applies])
    return int(np.isfinite(values).any(axis=1).sum()), measure_noise(values)


def plan(
    measured: Sequence[tuple[str, int, Noise]], design: Design, *, wanted: float = 0.05
) -> list[Plan]:
    """Return one row a metric: (name, samples, noise), measured or assumed, under `design`."""
    rows = []
    for metric, n, noise in measured:
        seen = design.mde(n, noise)
        rows.append(
            Plan(
                metric=metric,
                n=n,
                noise=noise,
                mde=None if seen is None else up_to_a_point(seen),
                samples=samples_needed(wanted, noise, design),
                runs=runs_needed(wanted, n, noise, design),
            )
        )
    return rows
