"""What unchanged metrics do together: the critical value of a family, from the baseline's own runs.

One metric breaks, and the others show noise. How far the largest of them reaches hangs on how they
move together and on how few samples carry their noise, which the baseline's runs show: signs of
their contrasts are flipped, one sign for all metrics of a sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragate.core.statistics.metric_noise import ASSUMED_NOISE
from ragate.core.statistics.permutation import Block
from ragate.core.statistics.quantiles import normal_quantile
from ragate.core.statistics.score_columns import Floats

Floats32 = npt.NDArray[np.float32]

DRAWS = 8_000
MOST_ROWS = 500  # contrasts, at most: sums of so many signs are as good as normal
_NONE = 1e-9


@dataclass(frozen=True, eq=False)
class JointNoise:
    """The noise of one metric beside that of the others of its family; equal only to itself.

    Attributes:
        own: (draws,) standardised noise of the metric that breaks.
        others: (draws,) the largest of the others', in the same draws; none where it is alone.
    """

    own: Floats32
    others: Floats32

    def critical_value(self, level: float, *, unbroken: float = 1.0) -> float:
        """Return what a metric's standardised drop must exceed to be red at `level`.

        Args:
            unbroken: Share of its null variance that samples carry which did not break: only they
                move together with the other metrics.
        """
        alone = normal_quantile(1 - level)
        if len(self.others) < DRAWS:
            return alone
        broken = math.sqrt(unbroken) * self.own + math.sqrt(1 - unbroken) * _normals(1)[:, 0]
        largest = np.maximum(broken, self.others)
        rank = math.ceil((1 - level) * len(largest)) - 1
        return max(alone, float(np.partition(largest, rank)[rank]))


ALONE = JointNoise(np.zeros(0, np.float32), np.zeros(0, np.float32))


def joint_noise(blocks: Sequence[Block]) -> tuple[JointNoise, ...]:
    """Return the joint noise of every metric of a family.

    Args:
        blocks: Its samples or clusters, at least one; only the baseline's runs are read.
    """
    if blocks[0].values.shape[2] == 1:
        return (ALONE,)
    rows = _contrasts(blocks)
    scaled = rows / np.sqrt(np.maximum((rows**2).sum(axis=0), _NONE))
    return _each_beside_the_others(_signs(len(rows)) @ scaled.astype(np.float32))


def independent_noise(metrics: int) -> JointNoise:
    """Return the noise of one of some metrics of which nothing is known."""
    return _each_beside_the_others(_normals(metrics))[0] if metrics > 1 else ALONE


def _each_beside_the_others(draws: Floats32) -> tuple[JointNoise, ...]:
    """Return one a metric, of (draws, metrics)."""
    noises = []
    for metric in range(draws.shape[1]):
        others = np.delete(draws, metric, axis=1)
        noises.append(JointNoise(draws[:, metric], others.max(axis=1)))
    return tuple(noises)


def _contrasts(blocks: Sequence[Block]) -> Floats:
    """Return (rows, metrics): how runs of one sample differ.

    Where none does, or there is one run, the noise is assumed: a few samples carry it, and stand
    for it with how they differ from the others.
    """
    inside = [_between_runs(block.values[:, : block.base]) for block in blocks if block.base > 1]
    rows = _differing([each.reshape(-1, each.shape[2]) for each in inside])
    if not len(rows):
        baselines = [block.values[:, : block.base] for block in blocks]
        means = np.concatenate([runs.mean(axis=1) for runs in baselines])
        rows = _differing([means - means.mean(axis=0)])[:: round(1 / ASSUMED_NOISE)]
    step = -(-len(rows) // MOST_ROWS) or 1
    return np.asarray(rows[::step], dtype=np.float64)


def _differing(parts: Sequence[Floats]) -> Floats:
    """Return the rows in which any metric differs."""
    rows = np.concatenate(parts) if parts else np.zeros((0, 1))
    return np.asarray(rows[abs(rows).sum(axis=1) > _NONE], dtype=np.float64)


def _between_runs(runs: Floats) -> Floats:
    """Return (samples, runs - 1, metrics) of orthonormal contrasts, of (samples, runs, metrics)."""
    count = runs.shape[1]
    one_for_all, one_each = np.ones(count), np.eye(count)[:, : count - 1]
    basis = np.linalg.qr(np.column_stack([one_for_all, one_each]))[0]
    return np.asarray(np.einsum("nrm,rq->nqm", runs, basis[:, 1:]), dtype=np.float64)


@lru_cache(maxsize=2)
def _signs(rows: int) -> Floats32:
    """(draws, rows) of -1 and 1."""
    bits = np.random.PCG64(0).random_raw(-(-rows * DRAWS // 64)).view(np.uint8)
    signs = np.unpackbits(bits, count=rows * DRAWS).reshape(DRAWS, rows).astype(np.float32)
    signs *= 2
    signs -= 1
    return signs


@lru_cache(maxsize=4)
def _normals(metrics: int) -> Floats32:
    normals = np.random.default_rng(metrics).standard_normal((DRAWS, metrics))
    return normals.astype(np.float32)
