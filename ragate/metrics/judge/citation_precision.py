"""citation_precision: does every citation support its sentence?"""

from dataclasses import replace

from ragate.core.text.words import markers
from ragate.metrics._checked_part import count_of_checked
from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return citation_precision: the share of citations that support their sentence.

    Formula: citations whose context supports at least a part of the sentence / all citations,
    those that resolve to no chunk included; a context cited twice by one sentence counts once.
    Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: none that resolves 0; no marker at all: 1, and counted in
    citation_precision.checked; unanswerable: not applicable.
    Source: after Gao et al., ALCE, EMNLP 2023.
    """
    checked = count_of_checked(request, lambda output: markers(output.answer or ""))
    return replace(judged_metric(request, version=2), checked=checked)
