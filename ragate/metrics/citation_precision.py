"""citation_precision: does every citation support its sentence?"""

from __future__ import annotations

from ragate.metrics._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return citation_precision: the share of citations that support their sentence.

    Formula: citations whose context supports at least a part of the sentence / all citations,
    those that resolve to no chunk included; a context cited twice by one sentence counts once.
    Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: none that resolves 0; no citation at all: unscored (citation_recall is 0 there);
    unanswerable: not applicable.
    Source: after Gao et al., ALCE, EMNLP 2023.
    """
    return judged_metric(request)
