"""number_recall: are the reference's numbers in the answer?"""

from ragate.core.text.numerals import claimed_numerals, confirmed_numbers
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return number_recall: the share of the reference's distinct numbers that the answer holds.

    Formula: max over references with numbers of |N(answer) and N(reference)| / |N(reference)|.
    6,000 equals 6000, 50 % equals 50, 1.5 million equals $1.5M, eight equals 8, 1 May 2024 equals
    2024-05-01; "one" by itself is a 1 in an answer and asks for none in a reference. Range [0, 1],
    a fraction, higher is better. Version 3.
    Edge cases: no reference holds a number, no reference, or unanswerable: not applicable.
    Source: this project.
    """
    return reference_metric(
        request,
        _recall,
        version=3,
        usable=lambda reference: bool(claimed_numerals(reference)),
        without_usable="no number in a reference",
    )


def _recall(answer: str, reference: str) -> float:
    claimed = {numeral.readings: numeral for numeral in claimed_numerals(reference)}.values()
    confirmed = confirmed_numbers(answer)
    return sum(number.stands_in(confirmed) for number in claimed) / len(claimed)
