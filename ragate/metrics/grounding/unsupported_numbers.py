"""unsupported_numbers: does the answer hold numbers that no context holds?"""

import re

from ragate.core.conversation import conversation
from ragate.core.text.numerals import Numeral, claimed_numerals, confirmed_numbers
from ragate.core.text.words import without_markers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import NO_TEXTS, claim_metric, lacks_texts
from ragate.models import Direction, Sample, SystemOutput
from ragate.protocols import MetricRequest

_LIST_NUMBER = re.compile(r"(?m)^[ \t]{0,20}\d{1,3}[.)][ \t]")


def create(request: MetricRequest) -> SampleMetric:
    """Return unsupported_numbers: the share of the answer's numbers that stand nowhere else.

    Formula: |N(answer) - N(contexts) - N(question)| / |N(answer)|, N the distinct numbers as in
    number_recall; numbers of list items and citation markers are left out. Range [0, 1], a
    fraction, lower is better. Version 3.
    Edge cases: a number that is computed rather than quoted counts as unsupported; an answer
    without numbers: 0, and counted in unsupported_numbers.checked; chunks without texts: unscored;
    unanswerable: not applicable.
    Source: this project.
    """
    metric = claim_metric(request, _unsupported, version=3, direction=Direction.LOWER)
    return of_a_part(metric, request, _claimed, called="numbers")


def _unsupported(sample: Sample, output: SystemOutput) -> ValueOrReason:
    if lacks_texts(output):
        return NO_TEXTS
    claimed = _claimed(output)
    confirmed = confirmed_numbers(conversation(sample))
    confirmed.update(*(confirmed_numbers(chunk.text) for chunk in output.chunks))
    return sum(not number.stands_in(confirmed) for number in claimed) / len(claimed)


def _claimed(output: SystemOutput) -> list[Numeral]:
    """Return the numbers of an answer, each value once."""
    answer = _LIST_NUMBER.sub("", without_markers(output.answer or ""))
    return list({numeral.readings: numeral for numeral in claimed_numerals(answer)}.values())
