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

# Adjusted p of a fall from which on a variant is asked once more, and once more after that.
DOUBTS = (0.1, 0.05)
# What the first look has of alpha; the rest is for the last one, of those that were asked again.
FIRST_SHARE = 0.5
LOOKS = 1 + len(DOUBTS)  # at most
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
    """What a look at all variants shows, by variant; one that gates nothing has no metric."""

    held: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)

    def worse(self, name: str) -> bool:
        return any(each.worse for each in self.held[name])

    def safe(self, name: str) -> bool:
        return bool(self.held[name]) and all(each.safe for each in self.held[name])

    def doubtful(self, limit: float, *, alpha: float) -> frozenset[str]:
        """Return those that may be worse, and are not proven to be; as of `is_doubtful`."""
        return frozenset(
            name
            for name, held in self.held.items()
            if any(
                is_doubtful(each.p, each.drop, each.allowed, limit=limit, alpha=alpha)
                for each in held
            )
            and not self.worse(name)
        )


def is_doubtful(p: float, drop: float, allowed: float, *, limit: float, alpha: float) -> bool:
    """Return whether a fall should be looked at again, by more passes over the same questions.

    Not one of less than half of what the policy allows, which would hardly grow to all of it, and
    not one that is proven already and smaller than what is allowed: it will hardly be worse.

    Args:
        p: Adjusted; up to `limit` it is looked at again.
        drop, allowed: Shares of the range.
    """
    is_proven = p <= (1 - FIRST_SHARE) * alpha
    if drop < allowed - SLACK and (is_proven or drop < allowed / 2):
        return False
    return p <= limit and drop > 0


def level_of(look: int, *, further: int, alpha: float) -> float:
    """Return the level at which a look may call a variant worse: together at most alpha.

    The first has a half of it, so that what is clearly worse is asked no more, and the last one the
    other half. What stands between them only lets go of who is no longer in doubt.

    Args:
        look: Its number, from 0.
        further: How many more passes there can be after the first.
    """
    if not further:
        return alpha
    if look == 0:
        return FIRST_SHARE * alpha
    return (1 - FIRST_SHARE) * alpha if look == further else 0.0


def safe_share(alpha: float, variants: int, *, further: int) -> float:
    """Return the level at which one look may call one variant safe; arguments as of `level_of`."""
    return alpha / ((1 + further) * variants)


@dataclass(frozen=True)
class Tested:
    """One metric of one variant as it is tested.

    Attributes:
        sums: (units,) differences to the first, from 0 to 1 the best, summed by unit.
        spread: (units with scores,) differences whose mean is the change; losses at worst.
        drop: The fall of the mean, as a share of the range.
        allowed: The fall that the policy allows.
    """

    sums: Floats
    spread: Floats
    drop: float
    allowed: float


@dataclass(frozen=True)
class Proof:
    """What is proven of one metric of one variant; as of `Held`."""

    p: float
    worse: bool
    safe: bool


def prove(tested: Sequence[Tested], *, level: float, share: float, seed: int) -> list[Proof]:
    """Test all metrics of all variants together.

    Args:
        level: At which a fall is proven, over all of them.
        share: At which a fall of what is allowed is ruled out, for each of them.
    """
    p = step_down(flip(np.stack([each.sums for each in tested], axis=1), seed=seed))
    return [
        Proof(
            p=float(value),
            worse=float(value) <= level and each.drop >= each.allowed - SLACK,
            safe=loses_less(each.spread, each.allowed, share),
        )
        for each, value in zip(tested, p, strict=True)
    ]


def look_at(
    config: Config,
    samples: Sequence[Sample],
    first: Run,
    others: Mapping[str, Run],
    *,
    number: int = 0,
    further: int = 0,
) -> Look:
    """Hold runs of the same samples against the first one.

    Args:
        number, further: Of the look, as of `level_of`.
    """
    beside = {name: _comparison(config, samples, first, run) for name, run in others.items()}
    cases = [
        (name, case) for name, comparison in beside.items() for case in _gated(config, comparison)
    ]
    held: dict[str, list[Held]] = {name: [] for name in others}
    if cases:
        alpha = config.policy.alpha
        tested = [_tested(case, beside[name]) for name, case in cases]
        level = level_of(number, further=further, alpha=alpha)
        share = safe_share(alpha, len(others), further=further)
        seed = seed_of(beside[cases[0][0]])
        proofs = prove(tested, level=level, share=share, seed=seed)
        for (name, case), each, proof in zip(cases, tested, proofs, strict=True):
            held[name].append(_held(case, each, proof, share))
    return Look({name: tuple(each) for name, each in held.items()})


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


def _tested(case: MetricCase, comparison: Comparison) -> Tested:
    column = case.scores
    seen = _differences(column, case, lost_at_worst=False)[case.compared]
    return Tested(
        sums=_by_unit(column, case, comparison),
        spread=_spread(case, comparison),
        drop=0.0 - float(np.nanmean(seen)),
        allowed=allowed_drop(case.rule, case.info, column.span),
    )


def _held(case: MetricCase, tested: Tested, proof: Proof, share: float) -> Held:
    sides = (case.scores.baseline, case.scores.candidate)
    before, after = (float(row_means(side.values)[case.compared].mean()) for side in sides)
    return Held(
        metric=case.name,
        before=before,
        after=after,
        p=proof.p,
        drop=tested.drop,
        allowed=tested.allowed,
        provable=smallest_margin(tested.spread, share),
        worse=proof.worse,
        safe=proof.safe,
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


def least_questions(margin: float, level: float) -> int:
    """Return with how many questions, all answered alike, a fall of `margin` is ruled out."""
    most = 2
    while not loses_less(np.zeros(most), margin, level):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        if loses_less(np.zeros(middle), margin, level):
            most = middle
        else:
            least = middle
    return most
