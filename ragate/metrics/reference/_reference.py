"""What the metrics against a reference have in common: the best reference counts."""

from collections.abc import Callable

from ragate.core.judging.applicability import without_reference
from ragate.core.text.words import without_markers
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import SampleMetric
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest


def is_worded(reference: str) -> bool:
    """Tell whether a reference says anything."""
    return bool(reference.strip())


def reference_metric(
    request: MetricRequest,
    similarity: Callable[[str, str], float],
    *,
    version: int = 1,
    state: dict[str, float] | None = None,
    usable: Callable[[str], bool] = is_worded,
    without_usable: str = "no usable reference",
) -> SampleMetric:
    """Return a metric that compares an answer with each reference and keeps the best value.

    Citation markers are taken out of the answer first, so that citing costs nothing. Questions
    without a usable reference and unanswerable ones are not applicable.

    Args:
        similarity: From (answer, reference) to a fraction.
        usable: Which references the metric can speak about.
        without_usable: The reason where a sample has references and none is usable.
    """

    def best(sample: Sample, output: SystemOutput) -> float:
        answer = without_markers(output.answer or "")
        return max(similarity(answer, text) for text in sample.references if usable(text))

    def exclude(sample: Sample) -> str:
        reason = without_reference(sample)
        return reason or ("" if any(map(usable, sample.references)) else without_usable)

    no_cut_off(request)
    return SampleMetric(
        info=metric_info(request, version=version, reads=Reads.ANSWER),
        formula=best,
        exclude=exclude,
        state=state or {},
        from_answer=True,
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
