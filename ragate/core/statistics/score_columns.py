"""One metric as arrays: rows are samples, columns are passes, NaN where there is no value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ragate.core.lookup import Pass
from ragate.models import Direction, MetricInfo, ScoreState

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
SLACK = 1e-9
NO_RECORD = "no score was recorded"


@dataclass(frozen=True)
class Side:
    """One metric on one side.

    Attributes:
        values: (samples, passes) in the metric's own unit; NaN where there is no value.
        silent: (samples, passes) True where the metric does not apply.
        reasons: Why a wanted value is missing, with counts.
    """

    values: Floats
    silent: Mask
    reasons: Mapping[str, int]

    @property
    def unscored(self) -> Mask:
        """(samples, passes) True where a value was wanted and is missing."""
        return np.isnan(self.values) & ~self.silent

    @property
    def valued(self) -> Mask:
        """(samples,) True where any pass has a value."""
        return np.asarray(np.isfinite(self.values).any(axis=1), dtype=bool)


@dataclass(frozen=True)
class Column:
    """One metric on both sides, over the matched samples, and on the candidate's other samples.

    Attributes:
        applies: (samples,) False where the metric cannot speak about the sample on either side.
        added: The candidate on samples without a partner in the baseline: floors only.
        recorded: The baseline as recorded; in `baseline` unaffected samples hold their mean.
        varies: (samples,) False where the exact rule judges: the input repeats.
        declared: True where the metric's input is declared to repeat in the candidate.
        problem: Why the two sides do not compare; "" where they do. remedy: The command to type.
        risen: That is since the candidate's version of the metric is newer.
        low, span: Smallest value and width of the range; the pooled range where unbounded.
    """

    info: MetricInfo
    baseline: Side
    candidate: Side
    added: Side
    recorded: Side
    applies: Mask
    varies: Mask
    declared: bool = False
    problem: str = ""
    risen: bool = False
    remedy: str = ""
    low: float = 0.0
    span: float = 1.0

    @property
    def exact(self) -> bool:
        """True where the exact rule judges any sample."""
        return not bool(self.varies.all())

    def scaled(self, values: Floats) -> Floats:
        """Map own units to [0, 1] where 1 is best."""
        unit = (values - self.low) / self.span
        return unit if self.info.direction is Direction.HIGHER else 1.0 - unit

    def unit(self, scaled: float) -> float:
        """Map [0, 1] back to the metric's own unit."""
        share = scaled if self.info.direction is Direction.HIGHER else 1.0 - scaled
        return self.low + share * self.span


def row_means(values: Floats) -> Floats:
    """Return the mean of every row's numbers; NaN for a row without any."""
    scored = np.isfinite(values)
    count = scored.sum(axis=1)
    means = np.where(scored, values, 0.0).sum(axis=1) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, means, np.nan), dtype=np.float64)


def sums_by_unit(values: Floats, units: Ints) -> Floats:
    """Return the sums (units, ...) of values (samples, ...); `units` numbers each sample's unit."""
    sums = np.zeros((int(units.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, units, values)
    return sums


def read_sides(
    infos: Mapping[str, MetricInfo], passes: Sequence[Pass], ids: Sequence[str]
) -> dict[str, Side]:
    """Collect the scores by metric; a value outside the metric's range is unscored."""
    shape = (len(ids), len(passes))
    reasons = {name: Counter[str]() for name in infos}
    sides = {
        name: Side(np.full(shape, np.nan), np.zeros(shape, bool), reasons[name]) for name in infos
    }
    for column, each in enumerate(passes):
        missing = _read_pass(each, ids, sides, column)
        for name, side in sides.items():
            reasons[name].update(_drop_bad(infos[name], side.values[:, column]))
            reasons[name].update(missing[name])
    return sides


def _read_pass(
    each: Pass, ids: Sequence[str], sides: Mapping[str, Side], column: int
) -> dict[str, Counter[str]]:
    """Read every record once; return why wanted values are missing, by metric."""
    missing: dict[str, Counter[str]] = {name: Counter() for name in sides}
    for row, key in enumerate(ids):
        scores = each[key].scores if key in each else {}
        for name, side in sides.items():
            score = scores.get(name)
            if score is not None and score.value is not None:
                side.values[row, column] = score.value
            elif score is not None and score.state is ScoreState.NOT_APPLICABLE:
                side.silent[row, column] = True
            else:
                reason = (score.reason or "no reason given") if score else NO_RECORD
                missing[name][reason] += 1
    return missing


def _drop_bad(info: MetricInfo, values: Floats) -> dict[str, int]:
    high = np.inf if info.high is None else info.high
    with np.errstate(invalid="ignore"):
        outside = (values < info.low - SLACK) | (values > high + SLACK) | np.isinf(values)
    count = int(outside.sum())
    if not count:
        return {}
    worst = float(values[outside][0])
    values[outside] = np.nan
    top = "and more" if info.high is None else f"to {info.high:g}"
    return {f"{worst:g} is outside the range {info.low:g} {top}": count}


def pair(info: MetricInfo, baseline: Side, candidate: Side, added: Side) -> Column:
    """Join both sides: a sample is silent only where neither side has a value.

    Silence on one side alone would let a system raise its mean by saying nothing, so there it
    counts as unscored. Not so where it is asked what an answer takes: there only a failed sample is
    silent, which costs on every other metric.
    """
    silent: Mask = np.asarray(baseline.silent.any(axis=1) | candidate.silent.any(axis=1))
    if not info.is_expense:
        silent &= ~(baseline.valued | candidate.valued)
    low, span = _range(info, (baseline, candidate, added))
    return Column(
        info=info,
        baseline=_speaking(baseline, silent),
        candidate=_speaking(candidate, silent),
        added=added,
        recorded=baseline,
        applies=~silent,
        varies=np.ones_like(silent),
        low=low,
        span=span,
    )


def _speaking(side: Side, silent: Mask) -> Side:
    mute = side.silent & ~silent[:, None]
    reasons = dict(side.reasons)
    if mute.any():
        reasons["nothing to measure here, but a value on the other side"] = int(mute.sum())
    in_every_pass = np.repeat(silent[:, None], side.values.shape[1], axis=1)
    return replace(side, silent=in_every_pass, reasons=reasons)


def _range(info: MetricInfo, sides: Sequence[Side]) -> tuple[float, float]:
    if info.high is not None:
        return info.low, max(info.high - info.low, SLACK)
    pooled = np.concatenate([side.values.ravel() for side in sides])
    pooled = pooled[np.isfinite(pooled)]
    return info.low, max(float(pooled.max()) - info.low, SLACK) if pooled.size else 1.0
