"""has_citations: does the answer cite what was retrieved?"""

from ragate.core.text.words import markers
from ragate.metrics.checks._check import Check, check_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> Check:
    """Return has_citations: 1 where the answer cites a retrieved chunk, else 0.

    Formula: 1[some citation n has 1 <= n <= number of chunks]; the citations that the system
    reports where it does, else the markers [n] of the answer. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: nothing retrieved: 0; unanswerable: not applicable.
    Source: this project.
    """
    return check_metric(request, _none)


def _none(_sample: Sample, output: SystemOutput) -> str:
    reported = output.citations
    cited = markers(output.answer or "") if reported is None else reported
    if not cited:
        return "the answer cites nothing"
    leads = any(1 <= number <= len(output.chunks) for number in cited)
    return "" if leads else "no citation leads to a retrieved chunk"
