"""tool_syntax: does each call fit the schema of its tool?"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from ragate.core.judging.judged_calls import unjudged
from ragate.metrics.tools._calls import CallMetric, Outcome, call_metric
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest
from ragate.support.json_schema import violation
from ragate.support.settings import shown


def create(request: MetricRequest) -> CallMetric:
    """Return tool_syntax: 1 when every call is of a known tool and fits its schema, else 0.

    Formula: 1[for all calls: the tool is one of the sample's, the arguments are a JSON object and
    an instance of the tool's JSON Schema]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: no tools or no expected_calls: not applicable; no call: 1 where none is right, else
    0, so that silence does not pay; calls not reported: unscored.
    Source: JSON Schema 2020-12; the schema's own `$schema` counts where it has one.
    """
    return call_metric(request, _formula, exclude=_without_schemas)


def _without_schemas(sample: Sample) -> str:
    return unjudged(sample) or ("" if sample.tools else "no tools")


def _formula(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    if not calls:
        missing = bool(sample.expected_calls)
        return float(not missing), "no call was made" if missing else ""
    schemas = {tool.name: tool.parameters for tool in sample.tools}
    for call in calls:
        if reason := _wrong(call, schemas):
            return 0.0, reason
    return 1.0, ""


def _wrong(call: ToolCall, schemas: Mapping[str, Mapping[str, JsonValue]]) -> str:
    if call.name not in schemas:
        return f"{shown(call.name)} is none of the tools"
    if call.malformed:
        return f"{call.name}: the arguments are no JSON object: {shown(call.malformed)}"
    reason = violation(call.arguments, schemas[call.name])
    return f"{call.name}: {reason}" if reason else ""
