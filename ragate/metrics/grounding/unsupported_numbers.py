"""unsupported_numbers: does the answer hold numbers that no context holds?"""

from ragate.core.conversation import conversation
from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.numerals import Numeral, claimed_numerals, confirmed_numbers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.models import Direction, Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return unsupported_numbers: the share of the answer's numbers that stand nowhere else.

    Formula: |N(answer) - N(contexts) - N(question)| / |N(answer)|, N the distinct numbers as in
    number_recall; numbers of list items and citation markers are left out. Range [0, 1], a
    fraction, lower is better. Version 4.
    Edge cases: a number that is computed rather than quoted counts as unsupported; an answer
    without numbers: 0, and counted in unsupported_numbers.checked; chunks without texts: unscored;
    unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, ClaimSettings)

    def claimed(output: SystemOutput) -> list[Numeral]:
        return _claimed(settings.said(output))

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else _unsupported(claimed(output), sample, output)

    metric = claim_metric(request, formula, version=4, direction=Direction.LOWER, settings=settings)
    return of_a_part(metric, request, claimed, called="numbers")


def _unsupported(claimed: list[Numeral], sample: Sample, output: SystemOutput) -> float:
    confirmed = confirmed_numbers(conversation(sample))
    confirmed.update(*(confirmed_numbers(chunk.text) for chunk in output.chunks))
    return sum(not number.stands_in(confirmed) for number in claimed) / len(claimed)


def _claimed(answer: str) -> list[Numeral]:
    """Return the numbers of an answer, each value once."""
    claimed = claimed_numerals(answer)
    return list({numeral.readings: numeral for numeral in claimed}.values())
