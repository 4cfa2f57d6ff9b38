"""Metrics on a part of an answer, such as its numbers, quotations or citations.

An answer without the part has one constant value, the best: nothing in it is wrong. So that
leaving the part out does not pay, a second metric counts the samples that held it.
"""

from collections.abc import Callable, Sized
from dataclasses import replace

from ragate.core.judging.applicability import unanswerable
from ragate.core.rules.checked_metric import checked_name
from ragate.metrics._identity import NoSettings, fingerprint
from ragate.metrics._sample_metric import Exclusion, SampleMetric
from ragate.models import MetricInfo, Reads, SystemOutput
from ragate.protocols import MetricRequest

VERSION = 1
Part = Callable[[SystemOutput], Sized]


def of_a_part(
    metric: SampleMetric, request: MetricRequest, part: Part, *, called: str
) -> SampleMetric:
    """Return the metric with its value for "nothing to check", and with the count beside it.

    Args:
        part: From an answer to what the metric looks at in it.
        called: What that is, for the reason where there is none.
    """
    checked = count_of_checked(request, part, exclude=metric.exclude)
    reason = f"no {called} in the answer"
    return replace(metric, nothing=lambda output: "" if part(output) else reason, checked=checked)


def count_of_checked(
    request: MetricRequest, part: Part, *, exclude: Exclusion = unanswerable
) -> SampleMetric:
    """Return the metric that is 1 for an answer with something to check, else 0.

    A failed sample is 0, since it holds nothing; higher is better.
    """
    name = checked_name(request.name)
    named = MetricRequest(name=name)
    info = MetricInfo(
        name=name,
        version=VERSION,
        reads=Reads.ANSWER,
        fingerprint=fingerprint(named, version=VERSION, settings=NoSettings()),
    )

    return SampleMetric(
        info=info, formula=lambda _sample, output: float(bool(part(output))), exclude=exclude
    )
