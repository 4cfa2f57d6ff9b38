"""refusal_recall: are the questions refused that the corpus cannot answer?"""

from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import SampleMetric, answerable
from ragate.metrics.refusal._refusal import Refusals, RefusalSettings
from ragate.models import Reads
from ragate.protocols import MetricRequest

Settings = RefusalSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return refusal_recall: 1 when an unanswerable question is refused, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening]. Range {0, 1}, a fraction,
    higher is better. Version 2.
    Edge cases: an empty answer is a failure, not a refusal: 0; answerable: not applicable.
    Source: this project.
    """
    no_cut_off(request)
    settings = own_settings(request, RefusalSettings)
    refuses = Refusals(settings)
    return SampleMetric(
        info=metric_info(request, version=2, reads=Reads.ANSWER, settings=settings),
        formula=lambda _sample, output: float(refuses(output.answer or "")),
        exclude=answerable,
    )
