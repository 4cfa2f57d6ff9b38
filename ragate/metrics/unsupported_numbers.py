"""unsupported_numbers: does the answer hold numbers that no context holds?"""

from __future__ import annotations

import re

from ragate.core.text import numbers, without_markers
from ragate.metrics._grounding import NO_TEXTS, claim_metric, lacks_texts
from ragate.metrics._shared import NothingToCheckError, Outcome, SampleMetric
from ragate.models import Direction, Sample, SystemOutput
from ragate.protocols import MetricRequest

_LIST_NUMBER = re.compile(r"(?m)^[ \t]{0,20}\d{1,3}[.)][ \t]")


def create(request: MetricRequest) -> SampleMetric:
    """Return unsupported_numbers: the share of the answer's numbers that stand nowhere else.

    Formula: |N(answer) - N(contexts) - N(question)| / |N(answer)|, N the distinct numbers as in
    number_recall; numbers of list items and citation markers are left out. Range [0, 1], a
    fraction, lower is better. Version 1.
    Edge cases: a number that is computed rather than quoted counts as unsupported; chunks without
    texts: unscored; an answer without numbers, unanswerable: not applicable.
    Source: this project.
    """
    return claim_metric(request, _unsupported, direction=Direction.LOWER)


def _unsupported(sample: Sample, output: SystemOutput) -> Outcome:
    if lacks_texts(output):
        return NO_TEXTS
    given = set(numbers(_LIST_NUMBER.sub("", without_markers(output.answer or ""))))
    if not given:
        raise NothingToCheckError("no numbers in the answer")
    known = {number for chunk in output.chunks for number in numbers(chunk.text)}
    return len(given - known - set(numbers(sample.query))) / len(given)
