"""How much a slice has to hold before it can fail the gate, and before anything is said of it."""

from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.rules.metric_case import MetricCase
from ragate.core.statistics.score_columns import Mask, Side

LEAST = 20  # samples of a slice that can fail the gate
LEAST_CLUSTERS = 8


def too_few(case: MetricCase, comparison: Comparison) -> str:
    """Return why a slice is shown only, "" where as much counts as can fail the gate.

    Samples that the baseline does not know yet count as well: what was not measured leaves a slice
    undecided, it does not make it a small one.
    """
    added = [comparison.added[row] for row in np.flatnonzero(case.counted_added)]
    few = _few([*comparison.ids_of(case.counted), *added], comparison)
    if few is None:
        return ""
    number, noun, least = few
    counted = f"{number} {noun} count" if noun == "samples" else f"{number} {noun}"
    return f"{counted}: shown only, from {least} on a slice can fail the gate"


def too_few_measured(case: MetricCase, comparison: Comparison) -> tuple[str, str]:
    """Return why a slice that gates cannot be decided, and the command that mends it.

    On the few samples that happen to have a value on both sides it would pass unmeasured.
    """
    assert case.column is not None
    before, after = (_valued(side) for side in (case.column.baseline, case.column.candidate))
    before, after = before & case.counted, after & case.counted
    few = _few(comparison.ids_of(before & after), comparison)
    if few is None:
        return "", ""
    number, noun, least = few
    total = int(case.counted.sum()) + int(case.counted_added.sum())
    new = int((_valued(case.column.added) & case.counted_added).sum())
    reason = (
        f"{case.name}: {number} {noun} with a value on both sides, a slice needs {least} (of "
        f"{total} samples the baseline has {before.sum()}, the candidate {after.sum() + new})"
    )
    remedy = "ragate baseline update" if _few(comparison.ids_of(before), comparison) else ""
    return reason, remedy


def _few(ids: Sequence[str], comparison: Comparison) -> tuple[int, str, int] | None:
    """Return how many there are of what, and how many are needed; None where these are enough."""
    if len(ids) < LEAST:
        return len(ids), "samples", LEAST
    clusters = cluster_numbers(comparison.samples, ids, comparison.cluster)
    if clusters is None or len(np.unique(clusters)) >= LEAST_CLUSTERS:
        return None
    return len(np.unique(clusters)), "clusters", LEAST_CLUSTERS


def _valued(side: Side) -> Mask:
    return np.asarray(np.isfinite(side.values).any(axis=1), dtype=bool)
