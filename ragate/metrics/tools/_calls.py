"""What the metrics on calls have in common: when they apply, and what a failed output counts.

An output of calls alone has no answer, or an empty one, and is no failure for that.
"""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator

from ragate.core.calls.dates import Mode, same_dates
from ragate.core.calls.names import as_named
from ragate.core.calls.values import CallRules, defaults_of, texts_alike
from ragate.core.judging.applicability import gave_nothing, provider_failure
from ragate.core.judging.judged_calls import NOT_REPORTED, unjudged
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import Exclusion, worst
from ragate.models import (
    Frozen,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    ToolCall,
    not_applicable,
    unscored,
)
from ragate.protocols import MetricRequest, Pair

Outcome = tuple[float, str]
"""A value, and what is wrong where it is not the best."""
Formula = Callable[[Sample, Sequence[ToolCall]], Outcome]
Rules = Callable[[Sample], CallRules]
_SPELT = {"behavioral": "behavioural"}


class DateSettings(Frozen):
    """Keys of a metric that compares arguments.

    Attributes:
        dates: How a right value that is a date is compared; "" as any other text.
    """

    dates: Annotated[Mode, BeforeValidator(lambda mode: _SPELT.get(mode, mode))] = ""


@dataclass(frozen=True)
class CallMetric:
    """A metric made of a formula over the calls that were made."""

    info: MetricInfo
    formula: Formula
    exclude: Exclusion
    state: dict[str, float] = field(default_factory=dict)

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        return [self._score(sample, output) for sample, output in pairs]

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        name = self.info.name
        if reason := self.exclude(sample):
            return not_applicable(name, reason)
        if reason := provider_failure(output):
            return unscored(name, reason)
        if gave_nothing(output):
            return Score(metric=name, value=worst(self.info))
        if output.tool_calls is None:
            return unscored(name, NOT_REPORTED)
        names = {tool.name for tool in sample.tools}
        names.update(right.name for right in sample.expected_calls or ())
        value, reason = self.formula(sample, as_named(output.tool_calls, names))
        return Score(metric=name, value=value, reason=reason)


def call_metric(
    request: MetricRequest,
    formula: Formula,
    *,
    exclude: Exclusion | None = None,
    settings: Frozen | None = None,
) -> CallMetric:
    """Return a metric on calls: a fraction, higher is better.

    Args:
        exclude: Which samples it leaves out; those without `expected_calls` where none is given.
        settings: Its keys, where it has some.
    """
    no_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.ANSWER, settings=settings)
    return CallMetric(info=info, formula=formula, exclude=exclude or unjudged)


def comparing_metric(
    request: MetricRequest,
    formula: Callable[[Sample, Sequence[ToolCall], CallRules], Outcome],
    *,
    exclude: Exclusion | None = None,
) -> CallMetric:
    """Return a metric that compares arguments, by the rules of its keys."""
    settings = own_settings(request, DateSettings)
    rules = rules_of(request, settings)
    return call_metric(
        request,
        lambda sample, calls: formula(sample, calls, rules(sample)),
        exclude=exclude,
        settings=settings,
    )


def rules_of(request: MetricRequest, settings: DateSettings) -> Rules:
    """Return by what the calls of a sample are compared, on the date of the run."""
    today = datetime.datetime.now(datetime.UTC).date()
    if request.eval_date:
        today = datetime.date.fromisoformat(request.eval_date)
    same_text = same_dates(settings.dates, today, texts_alike)
    return lambda sample: CallRules(defaults_of(sample), same_text)
