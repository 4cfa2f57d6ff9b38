"""What a metric without noise lost between two runs, and how often random signs lose as much."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import seed_of
from ragate.core.statistics.permutation import DRAWS, flip, step_down
from ragate.core.statistics.score_columns import SLACK, Floats, row_means, sums_by_unit


@dataclass(frozen=True)
class NetLoss:
    """How one metric's scores moved, on [0, 1], higher is better.

    Attributes:
        n: Samples with a value on both sides, those that vary within a side included.
        before, after: Their means.
        worse, better: Samples whose score fell or rose.
        changes: (matched samples,) candidate minus baseline of those that repeat; 0 elsewhere.
    """

    n: int
    before: float
    after: float
    worse: int
    better: int
    changes: Floats

    @property
    def drop(self) -> float:
        """Net loss of the mean by the samples that repeat; negative where they gained."""
        return -float(self.changes.sum()) / self.n

    @property
    def fell(self) -> int:
        """Samples that repeat and whose score fell."""
        return int((self.changes < -SLACK).sum())

    @property
    def changed(self) -> int:
        """Samples that repeat and whose score is another."""
        return int((abs(self.changes) > SLACK).sum())


def net_loss(case: MetricCase) -> NetLoss | None:
    """Return what one metric lost, None where no sample has a value on both sides."""
    assert case.column is not None
    column = case.column
    before, after = (
        np.where(case.counted, row_means(column.scaled(side.values)), np.nan)
        for side in (column.baseline, column.candidate)
    )
    scored = np.isfinite(before) & np.isfinite(after)
    if not scored.any():
        return None
    change = np.where(scored, after - before, 0.0)
    steady = scored if column.varies is None else scored & ~column.varies
    return NetLoss(
        n=int(scored.sum()),
        before=float(before[scored].mean()),
        after=float(after[scored].mean()),
        worse=int((change < -SLACK).sum()),
        better=int((change > SLACK).sum()),
        changes=np.where(steady, change, 0.0),
    )


def sign_chances(losses: Sequence[NetLoss], comparison: Comparison) -> list[float]:
    """Return each metric's mid-p under random signs, adjusted for all of them together.

    The samples are what is drawn, not the runs: it asks whether fresh questions would lose as well.
    With clusters whole clusters change their sign.
    """
    changes = np.stack([loss.changes for loss in losses], axis=1)
    if comparison.clusters is not None:
        changes = sums_by_unit(changes, comparison.clusters)
    null = flip(changes, seed=seed_of(comparison), draws=DRAWS)
    return [float(p) for p in step_down(null)]
