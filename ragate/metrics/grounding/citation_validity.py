"""citation_validity: does every citation lead to a retrieved chunk?"""

from collections.abc import Sequence

from ragate.core.text.words import markers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import claim_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return citation_validity: the share of citations that resolve to a retrieved chunk.

    Formula: share of the citations n with 1 <= n <= number of chunks; those the system reports
    where it does, else the markers [n] of the answer. Range [0, 1], a fraction, higher is better.
    Version 2.
    Edge cases: an answer without any citation: 1, and counted in citation_validity.checked;
    unanswerable: not applicable.
    Source: this project.
    """
    metric = claim_metric(request, _validity, version=2)
    return of_a_part(metric, request, _citations, called="citations")


def _validity(_sample: Sample, output: SystemOutput) -> ValueOrReason:
    cited = _citations(output)
    return sum(1 <= number <= len(output.chunks) for number in cited) / len(cited)


def _citations(output: SystemOutput) -> Sequence[int]:
    return markers(output.answer or "") if output.citations is None else output.citations
