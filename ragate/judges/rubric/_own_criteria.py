"""Criteria that a configuration words: how they are asked for, and how their replies are read."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragate.core.judging.criteria import TOOL_SEMANTICS
from ragate.core.judging.own_criterion import PREFIX, OwnCriterion, shown_name
from ragate.guards.escape import one_line
from ragate.judges.rubric._schema import Number, OtherShapeError, Strict, exact_object, exactly
from ragate.models import Score
from ragate.settings import shown

OwnCriteria = Mapping[str, OwnCriterion]
_REASON, _GRADE = "because", "grade"
_NUMBER, _KEPT = "guideline", "kept"


def key_of(criterion: str) -> str:
    """Return the key of the reply; it cannot be one of ragate's own."""
    if criterion == TOOL_SEMANTICS:
        return "calls_right"
    return f"own_{shown_name(criterion).removeprefix(PREFIX)}"


def instructions(own: OwnCriteria) -> str:
    """Return what stands below the instructions, "" where nothing of one's own is asked."""
    lines = [
        _guidelines(name, criterion) if criterion.guidelines else _question(name, criterion)
        for name, criterion in own.items()
    ]
    return "\n".join(["The object has these keys as well, behind the others:", "", *lines])


def _question(name: str, criterion: OwnCriterion) -> str:
    return (
        f'- "{key_of(name)}": an object: "{_REASON}" is one short sentence on what decides, and '
        f'"{_GRADE}" {_scale(criterion)}. What it is about: {criterion.ask.strip()}'
    )


def _guidelines(name: str, criterion: OwnCriterion) -> str:
    asked = (
        f'- "{key_of(name)}": a list with one object for each of these guidelines, in order: '
        f'"{_NUMBER}" is its number, "{_REASON}" is one short sentence on what decides, and '
        f'"{_KEPT}" is true if the answer keeps to it or it does not bear on the answer, else '
        "false."
    )
    numbered = enumerate(criterion.guidelines, start=1)
    return "\n".join([asked, *(f"  {place}. {' '.join(text.split())}" for place, text in numbered)])


def schema_of(own: OwnCriteria) -> dict[str, Any]:
    """Return the properties of the reply's schema, by key."""
    return {key_of(name): _schema(criterion) for name, criterion in own.items()}


def _schema(criterion: OwnCriterion) -> dict[str, Any]:
    if not criterion.guidelines:
        return exact_object({_REASON: {"type": "string"}, _GRADE: _grade_schema(criterion)})
    parts = {
        _NUMBER: {"type": "integer"},
        _REASON: {"type": "string"},
        _KEPT: {"type": "boolean"},
    }
    return {"type": "array", "items": exact_object(parts)}


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
    if criterion.guidelines:
        return _share_kept(name, criterion.guidelines, reply)
    if not isinstance(reply, dict) or reply.keys() != {_REASON, _GRADE}:
        raise OtherShapeError(f"{key} = {shown(reply)}: not an object of {_REASON} and {_GRADE}")
    reason, grade = reply[_REASON], reply[_GRADE]
    if not isinstance(reason, str):
        raise OtherShapeError(f"{key}.{_REASON} = {shown(reason)}: no text")
    if not _is_grade(grade, criterion):
        raise OtherShapeError(f"{key}.{_GRADE} = {shown(grade)}: {_scale(criterion)}")
    return Score(metric=name, value=float(grade), reason=one_line(reason, 200))


class _Kept(Strict):
    guideline: Number
    because: str
    kept: bool


def _share_kept(name: str, guidelines: Sequence[str], reply: Any) -> Score:
    key = key_of(name)
    try:
        found = TypeAdapter(list[_Kept]).validate_python(reply)
    except ValidationError as error:
        raise OtherShapeError(f"{key} = {shown(reply)}: not a list of guidelines") from error
    exactly(key, [one.guideline for one in found], range(1, len(guidelines) + 1))
    broken = [one for one in found if not one.kept]
    reason = f"{len(broken)} of {len(found)} guidelines broken" if broken else ""
    if broken:
        text = f"{reason}; {broken[0].guideline}: {broken[0].because}"
        reason = one_line(text, 200)
    return Score(metric=name, value=1 - len(broken) / len(found), reason=reason)


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
