"""What an evaluator says otherwise of answers that are the same: its own noise."""

from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.wording import count, listed
from ragate.models import Record


def judge_noise(comparison: Comparison) -> tuple[str, ...]:
    """Return a sentence on answers that did not change and got other scores; none where none did.

    By the first run of each side. An answer that a side does not hold is no equal one.
    """
    before, after = comparison.baseline.tries, comparison.candidate.tries
    same = [row for row, key in enumerate(comparison.ids) if _equal(before[key], after[key])]
    if not same:
        return ()
    moved = []
    for name, column in comparison.columns.items():
        change = np.abs(column.candidate.values[same, 0] - column.baseline.values[same, 0])
        change = change[np.isfinite(change)]
        if change.size and change.max() > SLACK:
            moved.append(f"{name} by {change.mean():.3f}")
    if not moved:
        return ()
    answers = count(len(same), "answer")
    return (f"the judge's noise: on {answers} that did not change, {listed(moved)}",)


def _equal(before: Sequence[Record], after: Sequence[Record]) -> bool:
    old, new = before[0], after[0]
    known = old.output.answer is not None and old.retrieval_hash == new.retrieval_hash
    failed = old.output.error or new.output.error
    return known and not failed and old.output.answer == new.output.answer
