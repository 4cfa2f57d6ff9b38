"""How much a slice has to hold before it can fail the gate."""

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.rules.metric_case import MetricCase

LEAST = 20  # samples of a slice that can fail the gate
LEAST_CLUSTERS = 8


def too_few(case: MetricCase, comparison: Comparison) -> str:
    """Return why a slice is shown only, "" where as much counts as can fail the gate.

    Samples that the baseline does not know yet count as well: what was not measured leaves a slice
    undecided, it does not make it a small one.
    """
    added = [comparison.added[row] for row in np.flatnonzero(case.counted_added)]
    ids = [*comparison.ids_of(case.counted), *added]
    if len(ids) < LEAST:
        return f"{len(ids)} samples count: shown only, from {LEAST} on a slice can fail the gate"
    numbers = cluster_numbers(comparison.samples, ids, comparison.cluster)
    clusters = LEAST_CLUSTERS if numbers is None else len(np.unique(numbers))
    if clusters < LEAST_CLUSTERS:
        return (
            f"{clusters} clusters: shown only, from {LEAST_CLUSTERS} on a slice can fail the gate"
        )
    return ""
