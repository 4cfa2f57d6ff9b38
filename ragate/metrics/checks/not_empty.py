"""not_empty: does the answer hold a word?"""

from ragate.core.text.segmentation import words
from ragate.core.text.words import without_markers
from ragate.metrics._sample_metric import applies_to_all
from ragate.metrics.checks._check import Check, check_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> Check:
    """Return not_empty: 1 where the answer holds a word or number, else 0.

    Formula: 1[the answer without citation markers has a word]. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a failed sample: 0, with its message; asked of unanswerable questions as well, since
    a refusal has words.
    Source: this project.
    """
    return check_metric(request, _no_words, exclude=applies_to_all)


def _no_words(_sample: Sample, output: SystemOutput) -> str:
    return "" if words(without_markers(output.answer or "")) else "the answer holds no word"
