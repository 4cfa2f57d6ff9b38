"""The noisy metrics of one family as one table, the tests on it, and the drop that is allowed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.statistics.permutation import Block, flip, relabel, step_down
from ragate.core.statistics.score_columns import Floats, Ints, Mask, Side, sums_by_unit
from ragate.models import DecisionSettings, Rule

Claim = Literal["this-set", "generalise"]
THIS_SET: Final = "this-set"
GENERALISE: Final = "generalise"
# Under this-set a harmless rewording truly moves some metric of the set, so more is allowed there.
DEFAULT_ALLOWANCE = {GENERALISE: 0.01, THIS_SET: 0.02}


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
        binary: (metrics,) True where one run a side and only 0 and 1 occur.
    """

    blocks: tuple[Block, ...]
    before: Floats
    after: Floats
    speaks: Mask
    units: Ints
    runs: tuple[int, int]
    binary: Mask
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
    base = _stack(cases, [case.scores.baseline for case in cases])
    cand = _stack(cases, [case.scores.candidate for case in cases])
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
        binary=_binary(base, cand) & (runs == (1, 1)) & (comparison.clusters is None),
        clustered=comparison.clusters is not None,
    )


def _stack(cases: Sequence[MetricCase], sides: Sequence[Side]) -> Floats:
    """Return (samples, runs, metrics), 0 where a metric does not count for a sample."""
    values = [
        np.where(case.counted[:, None], case.scores.scaled(side.values), 0.0)
        for case, side in zip(cases, sides, strict=True)
    ]
    return np.stack(values, axis=2)


def _whole_runs(values: Floats) -> Mask:
    return np.asarray(np.isfinite(values).all(axis=2), dtype=bool)


def _most_runs(whole_runs: Mask) -> int:
    return int(whole_runs.sum(axis=1).max(initial=0))


def _mean_over(values: Floats, whole_runs: Mask) -> Floats:
    total = np.where(whole_runs[:, :, None], values, 0.0).sum(axis=1)
    return np.asarray(total / np.maximum(whole_runs.sum(axis=1), 1)[:, None], dtype=np.float64)


def _binary(base: Floats, cand: Floats) -> Mask:
    pooled = np.concatenate([base, cand], axis=1)
    return np.asarray(np.isin(pooled, (0.0, 1.0)).all(axis=(0, 1)), dtype=bool)


def _blocks(base: Floats, cand: Floats, whole_base: Mask, whole_cand: Mask) -> tuple[Block, ...]:
    """Group samples by their numbers of whole runs; the whole runs come first on each side."""
    base, cand = _whole_first(base, whole_base), _whole_first(cand, whole_cand)
    runs_of = np.stack([whole_base.sum(axis=1), whole_cand.sum(axis=1)], axis=1)
    blocks = []
    for before, after in np.unique(runs_of, axis=0):
        rows = (runs_of == (before, after)).all(axis=1)
        runs = np.concatenate([base[rows, :before], cand[rows, :after]], axis=1)
        blocks.append(Block(runs, int(after)))
    return tuple(blocks)


def _whole_first(values: Floats, whole_runs: Mask) -> Floats:
    order = np.argsort(~whole_runs, axis=1, kind="stable")
    return np.take_along_axis(values, order[:, :, None], axis=1)


@dataclass(frozen=True)
class FamilyP:
    """Adjusted p of every metric, one-sided: down and up by the deciding claim, down by the other.

    Each of shape (metrics,).
    """

    down: Floats
    up: Floats
    other: Floats


def run_tests(table: Table, *, claim: str, seed: int, draws: int) -> FamilyP:
    """Test both claims; with one run a side they are the same test."""
    deciding = other = relabel(table.blocks, seed=seed, draws=draws)
    if any(block.values.shape[1] != 2 for block in table.blocks):
        fresh = flip(table.unit_sums, seed=seed, draws=draws)
        deciding, other = (deciding, fresh) if claim == THIS_SET else (fresh, deciding)
    return FamilyP(step_down(deciding), step_down(deciding, upwards=True), step_down(other))


def seed_of(comparison: Comparison) -> int:
    """Seed from the outputs alone: an empty commit redraws nothing."""
    outputs = hashlib.sha256()
    for passes in (comparison.baseline.distinct, comparison.candidate.distinct):
        for each in passes:
            for key in comparison.ids:
                output = each[key].output_hash if key in each else ""
                outputs.update(f"{key}\0{output}\n".encode("utf-8", "surrogatepass"))
    return int.from_bytes(outputs.digest()[:8], "big")


def allowed_drop(rule: Rule, settings: DecisionSettings, *, claim: str, span: float) -> float:
    """Return the smallest drop that can be red, as a share of the metric's range.

    The rule's own `min_drop` wins over that of the policy, which holds for both claims, and that
    over the default of the claim.

    Args:
        claim: ``generalise`` or ``this-set``.
        span: Width of the metric's range, in which the rule's `min_drop` is written.
    """
    if rule.min_drop is not None:
        return rule.min_drop / span
    if settings.min_drop is not None:
        return settings.min_drop
    return DEFAULT_ALLOWANCE[claim]
