"""citation_validity: does every citation lead to a retrieved chunk?"""

from __future__ import annotations

from ragate.core.text import markers
from ragate.metrics._grounding import claim_metric
from ragate.metrics._shared import NothingToCheckError, Outcome, SampleMetric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return citation_validity: the share of citations that resolve to a retrieved chunk.

    Formula: share of the citations n with 1 <= n <= number of chunks; those the system reports
    where it does, else the markers [n] of the answer. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: an answer without any citation: not applicable (citation_coverage is 0 there);
    unanswerable: not applicable.
    Source: this project.
    """
    return claim_metric(request, _validity)


def _validity(_sample: Sample, output: SystemOutput) -> Outcome:
    cited = markers(output.answer or "") if output.citations is None else output.citations
    if not cited:
        raise NothingToCheckError("no citations in the answer")
    return sum(1 <= number <= len(output.chunks) for number in cited) / len(cited)
