"""error_rate: how often does the system fail?"""

from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import SampleMetric, applies_to_all
from ragate.models import Direction, Reads
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return error_rate: 1 when the system failed on the sample, else 0.

    Formula: 1[exception, timeout, or an empty answer where one was wanted and no tool was called].
    Range {0, 1}, a fraction, lower is better. Version 1.
    Edge cases: a failure of a model provider is unscored, since the change did not cause it;
    applies to every sample.
    Source: this project.
    """
    no_cut_off(request)
    # A failed output never reaches the formula: it has the worst value, which is 1.
    return SampleMetric(
        info=metric_info(request, version=1, reads=Reads.RUN, direction=Direction.LOWER),
        formula=lambda _sample, _output: 0.0,
        exclude=applies_to_all,
    )
