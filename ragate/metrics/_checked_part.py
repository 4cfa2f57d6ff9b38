"""Metrics on a part of an answer, such as its numbers, quotations or citations.

An answer without the part has one constant value, the best: nothing in it is wrong. So that
leaving the part out does not pay, a second metric counts the samples that held it.
"""

from __future__ import annotations

from dataclasses import replace

from ragate.core.rules.checked_metric import checked_name
from ragate.metrics._identity import NoSettings, fingerprint
from ragate.metrics._sample_metric import EmptyReason, Exclusion, SampleMetric, unanswerable
from ragate.models import MetricInfo, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

VERSION = 1


def of_a_part(metric: SampleMetric, request: MetricRequest, nothing: EmptyReason) -> SampleMetric:
    """Return the metric with its value for "nothing to check", and with the count beside it.

    Args:
        nothing: From an answer to the reason why it holds nothing to check, "" where it does.
    """
    checked = count_of_checked(request, nothing, exclude=metric.exclude)
    return replace(metric, nothing=nothing, checked=checked)


def count_of_checked(
    request: MetricRequest, nothing: EmptyReason, *, exclude: Exclusion = unanswerable
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

    def holds(_sample: Sample, output: SystemOutput) -> float:
        return 0.0 if nothing(output) else 1.0

    return SampleMetric(info=info, formula=holds, exclude=exclude)
