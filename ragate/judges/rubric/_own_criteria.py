"""Criteria that a configuration words: how they are asked for, and how their replies are read."""

from collections.abc import Mapping
from typing import Any

from ragate.core.judging.own_criterion import PREFIX, OwnCriterion, shown_name
from ragate.judges.rubric._strict_reply import OtherShapeError
from ragate.models import Score
from ragate.support.escape import one_line
from ragate.support.settings import shown

OwnCriteria = Mapping[str, OwnCriterion]
_REASON, _GRADE = "because", "grade"


def key_of(criterion: str) -> str:
    """Return the key of the reply; it cannot be one of ragate's own."""
    return f"own_{shown_name(criterion).removeprefix(PREFIX)}"


def instructions(own: OwnCriteria) -> str:
    """Return what stands below the instructions, "" where nothing of one's own is asked."""
    lines = [
        f'- "{key_of(name)}": an object: "{_REASON}" is one short sentence on what decides, and '
        f'"{_GRADE}" {_scale(criterion)}. What it is about: {criterion.ask.strip()}'
        for name, criterion in own.items()
    ]
    return "\n".join(["The object has these keys as well, behind the others:", "", *lines])


def schema_of(own: OwnCriteria) -> dict[str, Any]:
    """Return the properties of the reply's schema, by key."""
    return {
        key_of(name): {
            "type": "object",
            "properties": {_REASON: {"type": "string"}, _GRADE: _grade_schema(criterion)},
            "required": [_REASON, _GRADE],
            "additionalProperties": False,
        }
        for name, criterion in own.items()
    }


def read_own(value: Mapping[str, Any], own: OwnCriteria) -> dict[str, Score]:
    """Return the score of each criterion.

    Args:
        value: The reply, an object with all keys that were asked for.

    Raises:
        OtherShapeError: one of them is no grade of its scale, or not as it was asked for.
    """
    return {name: _score(name, criterion, value[key_of(name)]) for name, criterion in own.items()}


def _score(name: str, criterion: OwnCriterion, reply: Any) -> Score:
    key = key_of(name)
    if not isinstance(reply, dict) or reply.keys() != {_REASON, _GRADE}:
        raise OtherShapeError(f"{key} = {shown(reply)}: not an object of {_REASON} and {_GRADE}")
    reason, grade = reply[_REASON], reply[_GRADE]
    if not isinstance(reason, str):
        raise OtherShapeError(f"{key}.{_REASON} = {shown(reason)}: no text")
    if not _is_grade(grade, criterion):
        raise OtherShapeError(f"{key}.{_GRADE} = {shown(grade)}: {_scale(criterion)}")
    return Score(metric=name, value=float(grade), reason=one_line(reason, 200))


def _is_grade(grade: Any, criterion: OwnCriterion) -> bool:
    if criterion.is_yes_or_no:
        return isinstance(grade, bool)
    low, high = criterion.scale
    return isinstance(grade, int) and not isinstance(grade, bool) and low <= grade <= high


def _scale(criterion: OwnCriterion) -> str:
    low, high = criterion.scale
    return "is true or false" if criterion.is_yes_or_no else f"a whole number from {low} to {high}"


def _grade_schema(criterion: OwnCriterion) -> dict[str, Any]:
    if criterion.is_yes_or_no:
        return {"type": "boolean"}
    low, high = criterion.scale
    return {"type": "integer", "enum": list(range(low, high + 1))}
