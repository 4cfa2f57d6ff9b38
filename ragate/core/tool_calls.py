"""Calls of tools held against the right ones: by name and arguments, in any order."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite

from pydantic import JsonValue

from ragate.models import ExpectedCall, ToolCall

Defaults = Mapping[str, Mapping[str, JsonValue]]
"""By tool, its arguments that have a default."""
_IGNORED = re.compile(r"[ ,./\-_*^]")
_SHOWN = 80


def matched(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], defaults: Defaults
) -> dict[int, int]:
    """Return the largest pairing of right calls with made ones: the number of each, from 0."""
    fits = [
        [number for number, call in enumerate(calls) if not mismatch(right, call, defaults)]
        for right in expected
    ]
    taken: dict[int, int] = {}
    for number in range(len(expected)):
        _take(number, fits, taken, set())
    return {number: call for call, number in taken.items()}


def _take(number: int, fits: list[list[int]], taken: dict[int, int], seen: set[int]) -> bool:
    for call in fits[number]:
        if call in seen:
            continue
        seen.add(call)
        if call not in taken or _take(taken[call], fits, taken, seen):
            taken[call] = number
            return True
    return False


def in_order(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], defaults: Defaults
) -> int:
    """Return how many right calls were made in their order: the longest common subsequence."""
    row = [0] * (len(calls) + 1)
    for right in expected:
        above, row = row, [0]
        for number, call in enumerate(calls):
            fits = not mismatch(right, call, defaults)
            row.append(above[number] + 1 if fits else max(above[number + 1], row[number]))
    return row[-1]


def why_not(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], defaults: Defaults) -> str:
    """Return why the calls are not the right ones, "" where they are."""
    pairs = matched(expected, calls, defaults)
    missing = [right for number, right in enumerate(expected) if number not in pairs]
    extra = [call for number, call in enumerate(calls) if number not in pairs.values()]
    if not missing:
        return f"{_named(extra[0].name)}: not expected" if extra else ""
    right = missing[0]
    if not extra:
        return f"{_named(right.name)}: not called"
    nearest = next((call for call in extra if call.name == right.name), extra[0])
    return mismatch(right, nearest, defaults)


def mismatch(right: ExpectedCall, call: ToolCall, defaults: Defaults) -> str:
    """Return in what a call differs from a right one, "" where it is as good."""
    name = _named(call.name)
    if call.name != right.name:
        return f"{name} was called, and {_named(right.name)} is right"
    if call.malformed:
        return f"{name}: the arguments are no JSON object"
    given, accepted = call.arguments, right.accepted
    own_defaults = defaults.get(call.name, {})
    for argument, values in accepted.items():
        if argument not in given:
            if argument in right.optional or _is_one_of(own_defaults, argument, values):
                continue
            return f"{name}: {_named(argument)} is missing"
        if not any(alike(given[argument], value) for value in values):
            return f"{name}: {_named(argument)} = {_unlike(given[argument], values)}"
    for argument, value in given.items():
        if argument not in accepted and not _is_one_of(own_defaults, argument, (value,)):
            return f"{name}: {_named(argument)} is not expected"
    return ""


def _is_one_of(
    defaults: Mapping[str, JsonValue], argument: str, values: Sequence[JsonValue]
) -> bool:
    return argument in defaults and any(alike(defaults[argument], value) for value in values)


def alike(given: JsonValue, right: JsonValue) -> bool:
    """Tell whether two values are equal: of one type, texts without case and punctuation.

    5 is 5.0, but neither is "5", and true is not 1. Lists keep their order, objects do not.
    """
    if _kind(given) != _kind(right):
        return False
    if isinstance(given, str) and isinstance(right, str):
        return _texts_alike(given, right)
    if isinstance(given, list) and isinstance(right, list):
        return len(given) == len(right) and all(map(alike, given, right))
    if isinstance(given, dict) and isinstance(right, dict):
        return given.keys() == right.keys() and all(alike(given[key], right[key]) for key in right)
    return given == right


def _texts_alike(given: str, right: str) -> bool:
    numbers = _number(given), _number(right)
    if None not in numbers:  # without its punctuation 1.5 would be 15, and -5 be 5
        return numbers[0] == numbers[1]
    bare = _IGNORED.sub("", given).casefold(), _IGNORED.sub("", right).casefold()
    return bare[0] == bare[1] if all(bare) else given == right


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None  # "Nan" and "infinity" are words


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")


def _unlike(given: JsonValue, values: Sequence[JsonValue]) -> str:
    kinds = list(dict.fromkeys(map(_kind, values)))
    if _kind(given) not in kinds:
        return f"{_shown(given)} is {_kind(given)}, and {' or '.join(kinds)} is right"
    right = " or ".join(map(_shown, values[:3]))
    return f"{_shown(given)}, and {right}{' or others' * (len(values) > 3)} is right"


def _shown(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _named(name: str) -> str:
    return name if name.isidentifier() or name.replace(".", "_").isidentifier() else _shown(name)
