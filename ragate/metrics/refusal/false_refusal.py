"""false_refusal: are questions refused that the corpus does answer?"""

from ragate.core.judging.applicability import unanswerable
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.refusal._refusal import Refusals, RefusalSettings
from ragate.models import Direction, Reads
from ragate.protocols import MetricRequest

Settings = RefusalSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return false_refusal: 1 when an answerable question is refused, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening]. Range {0, 1}, a fraction,
    lower is better. Version 2.
    Edge cases: a failed sample counts as refused: 1; unanswerable: not applicable.
    Source: this project.
    """
    no_cut_off(request)
    settings = own_settings(request, RefusalSettings)
    refuses = Refusals(settings)
    return SampleMetric(
        info=metric_info(
            request,
            version=2,
            reads=Reads.ANSWER,
            settings=settings,
            direction=Direction.LOWER,
        ),
        formula=lambda _sample, output: float(refuses(output.answer or "")),
        exclude=unanswerable,
    )
