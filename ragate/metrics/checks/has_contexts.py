"""has_contexts: was anything retrieved for the answer?"""

from ragate.metrics.checks._check import Check, Finding, Unmeasured, check_metric
from ragate.metrics.grounding._grounding import NO_TEXTS, lacks_texts
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> Check:
    """Return has_contexts: 1 where a passage with text was retrieved, else 0.

    Formula: 1[some retrieved chunk has a text]. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: chunks of which none carries a text: unscored; unanswerable: not applicable.
    Source: this project.
    """
    return check_metric(request, _nothing, reads=Reads.RETRIEVAL)


def _nothing(_sample: Sample, output: SystemOutput) -> Finding:
    if lacks_texts(output):
        return Unmeasured(NO_TEXTS)
    return "" if output.chunks else "nothing was retrieved"
