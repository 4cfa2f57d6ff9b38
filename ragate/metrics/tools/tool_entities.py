"""tool_entities: do the calls name the right entities?"""

from collections.abc import Sequence

from ragate.core.calls.entities import found_entities
from ragate.core.judging.judged_calls import unjudged
from ragate.metrics._identity import own_settings
from ragate.metrics.tools._calls import (
    CallMetric,
    DateSettings,
    Outcome,
    call_metric,
    rules_of,
)
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest


class Settings(DateSettings):
    """Keys of the metric.

    Attributes:
        arguments: Those that hold entities, such as ``ticker``; all, where none is named.
    """

    arguments: tuple[str, ...] = ()


def create(request: MetricRequest) -> CallMetric:
    """Return tool_entities: F1 of the entities in the arguments of calls, whatever the tool.

    Formula: 2 * pairs / (expected + given entities); an entity is the value of an argument that
    `arguments` names, each item of a list is one, and values compare as in tool_logic. Where
    several values are right, the one with most pairs counts. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: no expected call has such an argument: not applicable; an optional argument left
    out is not expected; calls not reported: unscored.
    Source: van Rijsbergen, Information Retrieval, 1979; here over values of arguments.
    """
    settings = own_settings(request, Settings)
    rules, arguments = rules_of(request, settings), frozenset(settings.arguments)

    def without_entities(sample: Sample) -> str:
        named = (name for right in sample.expected_calls or () for name in right.accepted)
        some = any(not arguments or name in arguments for name in named)
        return unjudged(sample) or ("" if some else "no argument with an entity is expected")

    def formula(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
        same_text = rules(sample).same_text
        found = found_entities(sample.expected_calls or (), calls, arguments, same_text)
        total = found.right + found.given
        value = 2 * found.both / total if total else 1.0
        extra = f"{found.given - found.both} too many" if value < 1 else ""
        return value, found.missing or extra

    return call_metric(request, formula, exclude=without_entities, settings=settings)
