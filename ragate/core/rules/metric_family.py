"""The noisy metrics of one family as one table, the tests on it, and the drop that is allowed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.statistics.permutation import Block, flip, relabel, step_down
from ragate.core.statistics.score_columns import Floats, Ints, Mask, Side, sums_by_unit
from ragate.models import MetricInfo, Rule

ALLOWED = 0.01  # of a metric's range, beside what rewording costs it


@dataclass(frozen=True)
class Table:
    """The samples that count: those with at least one whole run on each side.

    A run of a sample is whole when every metric of the family that applies is scored. With
    clusters a sample counts only where all its runs are whole, since a cluster's runs are sums.

    Attributes:
        blocks: Units (samples or clusters) by number of runs.
        before, after: (samples, metrics) means over the whole runs, on [0, 1].
        speaks: (samples, metrics) False where the metric does not count for the sample.
        units: (samples,) number of the unit of each sample.
        runs: Most baseline and candidate runs of any sample.
    """

    blocks: tuple[Block, ...]
    before: Floats
    after: Floats
    speaks: Mask
    units: Ints
    runs: tuple[int, int]
    clustered: bool

    @property
    def differences(self) -> Floats:
        """(samples, metrics) candidate minus baseline; 0 where the metric does not count."""
        return np.where(self.speaks, self.after - self.before, 0.0)

    @property
    def unit_sums(self) -> Floats:
        """(units, metrics) sums of the differences."""
        return sums_by_unit(self.differences, self.units)

    def spread(self, metric: int) -> Floats:
        """Return one metric's differences by unit, scaled so that their mean is the change."""
        rows = self.speaks[:, metric]
        units = np.unique(self.units[rows], return_inverse=True)[1]
        sums = sums_by_unit(self.differences[rows, metric], units)
        return sums * (len(sums) / max(int(rows.sum()), 1))


def build_table(cases: Sequence[MetricCase], comparison: Comparison) -> Table:
    """Lay the cases' scores out by sample, run and metric."""
    speaks = np.stack([case.counted for case in cases], axis=1)
    base = _stack([(case, case.scores.baseline) for case in cases])
    cand = _stack([(case, case.scores.candidate) for case in cases])
    whole_base, whole_cand = _whole_runs(base), _whole_runs(cand)
    if comparison.clusters is None:
        counted = whole_base.any(axis=1) & whole_cand.any(axis=1)
    else:
        counted = whole_base.all(axis=1) & whole_cand.all(axis=1)
    counted &= speaks.any(axis=1)
    base, cand, speaks = base[counted], cand[counted], speaks[counted]
    whole_base, whole_cand = whole_base[counted], whole_cand[counted]
    units = np.arange(len(base))
    if comparison.clusters is None:
        blocks = _blocks(base, cand, whole_base, whole_cand)
    else:
        units = np.unique(comparison.clusters[counted], return_inverse=True)[1]
        sums = sums_by_unit(np.concatenate([base, cand], axis=1), units)
        blocks = (Block(sums, cand.shape[1]),) if len(units) else ()
    runs = (_most_runs(whole_base), _most_runs(whole_cand))
    return Table(
        blocks=blocks,
        before=_mean_over(base, whole_base),
        after=_mean_over(cand, whole_cand),
        speaks=speaks,
        units=units,
        runs=runs,
        clustered=comparison.clusters is not None,
    )


def _stack(sides: Sequence[tuple[MetricCase, Side]]) -> Floats:
    """Return (samples, runs, metrics), 0 where a metric does not count for a sample."""
    values = [
        np.where(case.counted[:, None], case.scores.scaled(side.values), 0.0)
        for case, side in sides
    ]
    return np.stack(values, axis=2)


def _whole_runs(values: Floats) -> Mask:
    return np.asarray(np.isfinite(values).all(axis=2), dtype=bool)


def _most_runs(whole_runs: Mask) -> int:
    return int(whole_runs.sum(axis=1).max(initial=0))


def _mean_over(values: Floats, whole_runs: Mask) -> Floats:
    total = np.where(whole_runs[:, :, None], values, 0.0).sum(axis=1)
    runs = np.maximum(whole_runs.sum(axis=1), 1)
    return np.asarray(total / runs[:, None], dtype=np.float64)


def _blocks(base: Floats, cand: Floats, whole_base: Mask, whole_cand: Mask) -> tuple[Block, ...]:
    """Group samples by their numbers of whole runs; the whole runs come first on each side."""
    base, cand = _whole_first(base, whole_base), _whole_first(cand, whole_cand)
    most = whole_cand.shape[1] + 1
    runs_of = whole_base.sum(axis=1) * most + whole_cand.sum(axis=1)
    blocks = []
    for both in np.flatnonzero(np.bincount(runs_of)):
        before, after = divmod(int(both), most)
        rows = runs_of == both
        runs = np.concatenate([base[rows, :before], cand[rows, :after]], axis=1)
        blocks.append(Block(runs, after))
    return tuple(blocks)


def _whole_first(values: Floats, whole_runs: Mask) -> Floats:
    order = np.argsort(~whole_runs, axis=1, kind="stable")
    return np.take_along_axis(values, order[:, :, None], axis=1)


@dataclass(frozen=True)
class FamilyP:
    """Adjusted p of every metric, one-sided, each of shape (metrics,).

    Attributes:
        down, up: Whether fresh questions would get worse, or better.
        here: Whether these very questions got worse.
    """

    down: Floats
    up: Floats
    here: Floats


def run_tests(table: Table, *, seed: int, draws: int) -> FamilyP:
    """Test whether fresh questions, and these, got worse; with one run a side it is one test."""
    fresh = flip(table.unit_sums, seed=seed, draws=draws)
    down = here = step_down(fresh)
    if any(block.values.shape[1] != 2 for block in table.blocks):
        here = step_down(relabel(table.blocks, seed=seed, draws=draws))
    return FamilyP(down, step_down(fresh, upwards=True), here)


def seed_of(comparison: Comparison) -> int:
    """Seed from the outputs alone: an empty commit redraws nothing."""
    outputs = hashlib.sha256()
    for passes in (comparison.baseline.distinct, comparison.candidate.distinct):
        for each in passes:
            for key in comparison.ids:
                output = each[key].output_hash if key in each else ""
                outputs.update(f"{key}\0{output}\n".encode("utf-8", "surrogatepass"))
    return int.from_bytes(outputs.digest()[:8], "big")


def allowed_drop(rule: Rule, info: MetricInfo, span: float) -> float:
    """Return the smallest drop that can be red, as a share of the metric's range.

    Args:
        span: Width of the metric's range, in which the rule's own limit is written.
    """
    if rule.max_drop is not None:
        return rule.max_drop / span
    return ALLOWED + info.falls_reworded
