"""The noisy metrics of one family as one table, the tests on it, and the drop that is allowed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

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

    def changes(self, metric: int) -> Floats:
        """Return one metric's differences, of the samples that it counts for."""
        changes = self.differences[self.speaks[:, metric], metric]
        return np.asarray(changes, dtype=np.float64)

    def spread(self, metric: int) -> Floats:
        """Return one metric's differences by unit, scaled so that their mean is the change."""
        changes = self.changes(metric)
        units = np.unique(self.units[self.speaks[:, metric]], return_inverse=True)[1]
        sums = sums_by_unit(changes, units)
        return sums * (len(sums) / max(len(changes), 1))


@dataclass(frozen=True)
class _SideRuns:
    """The runs of all metrics on one side.

    Attributes:
        values: (samples, runs, metrics) on [0, 1]; 0 where a metric does not count for a sample.
        whole: (samples, runs) True where every metric that counts is scored.
    """

    values: Floats
    whole: Mask

    def of(self, samples: Mask) -> Self:
        return replace(self, values=self.values[samples], whole=self.whole[samples])

    def usable(self, is_clustered: bool) -> Mask:
        """Return (samples,) True where a run is whole; every run, where samples have clusters."""
        whole = self.whole.all(axis=1) if is_clustered else self.whole.any(axis=1)
        return np.asarray(whole, dtype=bool)

    @property
    def counts(self) -> Ints:
        """(samples,) number of whole runs."""
        return np.asarray(self.whole.sum(axis=1), dtype=np.intp)

    @property
    def means(self) -> Floats:
        """(samples, metrics) means over the whole runs."""
        total = np.where(self.whole[:, :, None], self.values, 0.0).sum(axis=1)
        runs = np.maximum(self.counts, 1)
        return np.asarray(total / runs[:, None], dtype=np.float64)

    @property
    def whole_first(self) -> Floats:
        """The values with the whole runs of each sample before its other ones."""
        order = np.argsort(~self.whole, axis=1, kind="stable")
        return np.take_along_axis(self.values, order[:, :, None], axis=1)


def build_table(cases: Sequence[MetricCase], comparison: Comparison) -> Table:
    """Lay the cases' scores out by sample, run and metric."""
    base = _side_runs(cases, [case.scores.baseline for case in cases])
    cand = _side_runs(cases, [case.scores.candidate for case in cases])
    speaks = np.stack([case.counted for case in cases], axis=1)
    clusters = comparison.clusters
    is_usable = base.usable(clusters is not None) & cand.usable(clusters is not None)
    counted = np.asarray(speaks.any(axis=1) & is_usable, dtype=bool)

    base, cand = base.of(counted), cand.of(counted)
    if clusters is None:
        units = np.arange(len(base.values))
        blocks = _blocks_by_runs(base, cand)
    else:
        units = np.unique(clusters[counted], return_inverse=True)[1]
        sums = sums_by_unit(np.concatenate([base.values, cand.values], axis=1), units)
        blocks = (Block(sums, k=cand.values.shape[1]),) if len(units) else ()
    return Table(
        blocks=blocks,
        before=base.means,
        after=cand.means,
        speaks=speaks[counted],
        units=units,
        runs=(int(base.counts.max(initial=0)), int(cand.counts.max(initial=0))),
        clustered=clusters is not None,
    )


def _side_runs(cases: Sequence[MetricCase], sides: Sequence[Side]) -> _SideRuns:
    by_metric = [
        np.where(case.counted[:, None], case.scores.scaled(side.values), 0.0)
        for case, side in zip(cases, sides, strict=True)
    ]
    values = np.stack(by_metric, axis=2)
    return _SideRuns(values, whole=np.isfinite(values).all(axis=2))


def _blocks_by_runs(base: _SideRuns, cand: _SideRuns) -> tuple[Block, ...]:
    """Group samples by their numbers of whole runs on both sides."""
    before, after = base.whole_first, cand.whole_first
    of_base, of_cand = base.counts, cand.counts
    # Pairs by np.unique would load numpy.ma.
    pairs = sorted(set(zip(of_base.tolist(), of_cand.tolist(), strict=True)))
    blocks = []
    for base_runs, cand_runs in pairs:
        alike = (of_base == base_runs) & (of_cand == cand_runs)
        values = np.concatenate([before[alike, :base_runs], after[alike, :cand_runs]], axis=1)
        blocks.append(Block(values, k=cand_runs))
    return tuple(blocks)


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
    down, up = step_down(fresh), step_down(fresh, upwards=True)
    one_run_a_side = all(block.values.shape[1] == 2 for block in table.blocks)
    if one_run_a_side:
        return FamilyP(down, up, here=down)
    here = step_down(relabel(table.blocks, seed=seed, draws=draws))
    return FamilyP(down, up, here)


def seed_of(comparison: Comparison) -> int:
    """Seed from the outputs alone: an empty commit redraws nothing."""
    outputs = hashlib.sha256()
    for passes in (comparison.baseline.distinct, comparison.candidate.distinct):
        for records in passes:
            for key in comparison.ids:
                output = records[key].output_hash if key in records else ""
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
