"""number_recall: are the reference's numbers in the answer?"""

from ragate.core.text.numerals import claimed_numbers, numbers
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return number_recall: the share of the reference's distinct numbers that the answer holds.

    Formula: max over references with numbers of |N(answer) and N(reference)| / |N(reference)|.
    6,000 equals 6000, 50 % equals 50, 1.5 million equals 1,500,000, eight equals 8; "one" by
    itself is a 1 in an answer and asks for none in a reference. Range [0, 1], a fraction, higher
    is better. Version 2.
    Edge cases: no reference holds a number, no reference, or unanswerable: not applicable.
    Source: this project.
    """
    return reference_metric(
        request,
        _recall,
        version=2,
        usable=lambda reference: bool(claimed_numbers(reference)),
        without_usable="no number in a reference",
    )


def _recall(answer: str, reference: str) -> float:
    claimed = set(claimed_numbers(reference))
    return len(claimed & set(numbers(answer))) / len(claimed)
