"""Calls of tools as the judge reads them, and what it is asked of them."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ragate.core.judging.judged_calls import TOOL_SEMANTICS
from ragate.core.judging.own_criterion import OwnCriterion
from ragate.judges._asking import sendable
from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.models import Sample, SystemOutput

ASKED_OF_CALLS = {
    TOOL_SEMANTICS: OwnCriterion(
        ask=(
            "the block `calls` holds the calls of tools that the system made, and `right_calls` "
            "calls that are known to be right, each on a line of its own. true if the calls made, "
            "all together, ask the tools for exactly what the question asks: other tools, another "
            "order and other spellings of one value do no harm. false if something asked for is "
            "missing, if a value means something else, if something is called that was not asked "
            "for, or if arguments are unreadable. Do not judge the answer in it."
        )
    )
}


def with_calls(
    judged: JudgedSample, sample: Sample, output: SystemOutput, *, most: int
) -> JudgedSample:
    """Return the case with its calls.

    Args:
        most: Characters of the calls made; what is beyond is cut.
    """
    right = (
        {"name": call.name, "arguments": _accepted(call.accepted.items())}
        for call in sample.expected_calls or ()
    )
    made = (
        {"name": call.name, "arguments": call.malformed or call.arguments}
        for call in output.tool_calls or ()
    )
    lines, room = [], most
    for line in map(_line, made):
        lines.append(line[:room])
        room = max(0, room - len(line))
    return replace(judged, right_calls=tuple(map(_line, right)), calls=tuple(lines))


def _accepted(values: Iterable[tuple[str, tuple[Any, ...]]]) -> dict[str, Any]:
    return {
        name: options[0] if len(options) == 1 else {"one of": list(options)}
        for name, options in values
    }


def _line(call: dict[str, Any]) -> str:
    return sendable(" ".join(json.dumps(call, ensure_ascii=False).split()))
