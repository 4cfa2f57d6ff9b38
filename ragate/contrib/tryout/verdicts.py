"""Each variant held against the first: worse, proven safe, or neither.

*Worse* is tested over all variants and metrics together, as `check` tests all metrics together: in
at most `alpha` of the trials of equal variants is any of them called worse. *Safe* is what loses
less than the policy allows on every metric that gates, at a share of `alpha` for each variant.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragate.config import Config
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.decision.scorecard import staged_runs
from ragate.core.rules.metric_case import MetricCase, read_cases
from ragate.core.rules.metric_family import allowed_drop, seed_of
from ragate.core.statistics.permutation import flip, step_down
from ragate.core.statistics.quantiles import normal_quantile
from ragate.core.statistics.score_columns import Column, Floats, row_means, sums_by_unit
from ragate.models import Run, Sample

LOOKS = 2  # after which a variant may be called safe: each has half of its share
SLACK = 1e-9


@dataclass(frozen=True)
class Held:
    """One metric of one variant beside the first's.

    Attributes:
        before, after: Means in the metric's own unit, over the samples that both have.
        p: Of a fall, adjusted for all metrics of all variants.
        drop, allowed: The fall, and the one that the policy allows, as shares of the range.
        provable: The smallest fall that is ruled out; 1 where none is.
        worse, safe: Whether it is proven.
    """

    metric: str
    before: float
    after: float
    p: float
    drop: float
    allowed: float
    provable: float
    worse: bool
    safe: bool


@dataclass(frozen=True)
class Look:
    """What a look at all variants shows, by variant; one that gates nothing has no metric.

    Attributes:
        suspicious: Those that may be worse and are not proven to be.
    """

    held: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    suspicious: frozenset[str] = frozenset()

    def worse(self, name: str) -> bool:
        return any(each.worse for each in self.held[name])

    def safe(self, name: str) -> bool:
        return bool(self.held[name]) and all(each.safe for each in self.held[name])


def look_at(
    config: Config,
    samples: Sequence[Sample],
    first: Run,
    others: Mapping[str, Run],
    *,
    level: float,
    suspicious: float,
) -> Look:
    """Hold runs of the same samples against the first one.

    Args:
        level: At which a fall is proven, over all variants and metrics.
        suspicious: Adjusted p from which on more passes should tell.
    """
    beside = {name: _comparison(config, samples, first, run) for name, run in others.items()}
    cases = {name: _gated(config, comparison) for name, comparison in beside.items()}
    tested = [(name, case) for name, own in cases.items() for case in own]
    if not tested:
        return Look(dict.fromkeys(others, ()))
    sums = np.stack([_by_unit(case.scores, case, beside[name]) for name, case in tested], axis=1)
    p = step_down(flip(sums, seed=seed_of(beside[tested[0][0]])))
    share = config.policy.alpha / (LOOKS * len(others))
    held: dict[str, list[Held]] = {name: [] for name in others}
    for (name, case), value in zip(tested, p, strict=True):
        held[name].append(_held(case, beside[name], float(value), level, share))
    doubtful = {
        name
        for name, each in held.items()
        if any(one.p <= suspicious and one.drop > 0 for one in each)
        and not any(one.worse for one in each)
    }
    return Look({name: tuple(each) for name, each in held.items()}, frozenset(doubtful))


def _comparison(config: Config, samples: Sequence[Sample], first: Run, run: Run) -> Comparison:
    before, after = staged_runs(config.policy.scorecard, first, run)
    return compare(
        before, after, samples, cluster=config.policy.cluster, waivers=config.policy.waivers
    )


def _gated(config: Config, comparison: Comparison) -> list[MetricCase]:
    """Return the metrics that gate and compare."""
    today = datetime.datetime.now(datetime.UTC).date()
    left_out = comparison.candidate_run.manifest.left_out
    rules = [rule for rule in config.policy.rules if rule.metric not in left_out]
    return [
        case
        for case in read_cases(rules, comparison, config.policy.waivers, today)
        if case.gates
        and case.column is not None
        and not case.column.problem
        and not case.info.is_expense
        and case.compared.any()
    ]


def _differences(column: Column, case: MetricCase, *, lost_at_worst: bool) -> Floats:
    """Return (samples,) after minus before, from 0 to 1 the best; NaN where it does not count.

    Args:
        lost_at_worst: What the variant was not scored on has the worst value, and else no part.
    """
    before = row_means(column.scaled(column.baseline.values))
    after = row_means(column.scaled(column.candidate.values))
    if lost_at_worst:
        after = np.where(column.candidate.unscored.any(axis=1), 0.0, after)
    return np.asarray(np.where(case.counted, after - before, np.nan), dtype=np.float64)


def _by_unit(column: Column, case: MetricCase, comparison: Comparison) -> Floats:
    """Return the differences by sample, or by cluster; 0 where there is none."""
    differences = np.nan_to_num(_differences(column, case, lost_at_worst=False))
    if comparison.clusters is None:
        return differences
    return np.asarray(sums_by_unit(differences, comparison.clusters), dtype=np.float64)


def _held(case: MetricCase, comparison: Comparison, p: float, level: float, share: float) -> Held:
    column = case.scores
    rows = case.compared
    means = [
        float(row_means(side.values)[rows].mean()) for side in (column.baseline, column.candidate)
    ]
    seen = _differences(column, case, lost_at_worst=False)[rows]
    allowed = allowed_drop(case.rule, case.info, column.span)
    drop = 0.0 - float(np.nanmean(seen))
    spread = _spread(case, comparison)
    return Held(
        metric=case.name,
        before=means[0],
        after=means[1],
        p=p,
        drop=drop,
        allowed=allowed,
        provable=smallest_margin(spread, share),
        worse=p <= level and drop >= allowed - SLACK,
        safe=loses_less(spread, allowed, share),
    )


def _spread(case: MetricCase, comparison: Comparison) -> Floats:
    """Return one difference a unit, scaled so that their mean is the change; losses at worst."""
    differences = _differences(case.scores, case, lost_at_worst=True)
    rows = np.isfinite(differences)
    if comparison.clusters is None:
        return differences[rows]
    units = np.unique(comparison.clusters[rows], return_inverse=True)[1]
    sums = sums_by_unit(differences[rows], units)
    return np.asarray(sums * (len(sums) / max(int(rows.sum()), 1)), dtype=np.float64)


def loses_less(differences: Floats, margin: float, level: float) -> bool:
    """Return whether a mean fall of `margin` is ruled out at `level`.

    The spread is that of a fall of this size: a share of the samples that breaks whole, of which a
    lucky set holds few. One loss and one gain are added to what was seen, since a set without any
    would look certain; and a set that is too small to hold a broken sample proves nothing.
    """
    n = len(differences)
    if n == 0 or margin <= 0 or (1 - min(margin, 1.0)) ** n > level:
        return False
    mean = float(differences.sum()) / (n + 2)
    variance = (float((differences**2).sum()) + 2) / (n + 2) - mean**2
    scale = math.sqrt((variance + margin * (1 - min(margin, 1.0))) / (n + 2))
    return (mean + margin) / scale >= -normal_quantile(level)


def smallest_margin(differences: Floats, level: float) -> float:
    """Return the smallest fall that is ruled out, to a thousandth; 1 where none is."""
    low, high = 0, 1000
    while low < high:
        middle = (low + high) // 2
        if loses_less(differences, middle / 1000, level):
            high = middle
        else:
            low = middle + 1
    return high / 1000
