"""Values of arguments, and names of tools, held against right ones."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from pydantic import JsonValue

from ragate.core.calls.dates import SameText
from ragate.models import Sample, ToolCall

Defaults = Mapping[str, Mapping[str, JsonValue]]
_NOT_TAKEN = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64  # characters; OpenAI and Anthropic take no more


"""By tool, its arguments that have a default."""
_IGNORED = re.compile(r"[ ,./\-_*^]")
_SHOWN = 80


def texts_alike(given: str, right: str) -> bool:
    """Tell whether two texts are equal without case, blanks and punctuation, or are one number."""
    numbers = _number(given), _number(right)
    if None not in numbers:  # without its punctuation 1.5 would be 15, and -5 be 5
        return numbers[0] == numbers[1]
    bare = _IGNORED.sub("", given).casefold(), _IGNORED.sub("", right).casefold()
    return bare[0] == bare[1] if all(bare) else given == right


@dataclass(frozen=True)
class CallRules:
    """By what a call is held against a right one.

    Attributes:
        same_text: Compares two texts, the given one first.
    """

    defaults: Defaults = field(default_factory=dict)
    same_text: SameText = texts_alike


PLAIN = CallRules()


def is_default(
    defaults: Mapping[str, JsonValue],
    argument: str,
    values: Sequence[JsonValue],
    rules: CallRules = PLAIN,
) -> bool:
    """Tell whether an argument's default is one of the values."""
    if argument not in defaults:
        return False
    return any(alike(defaults[argument], value, rules.same_text) for value in values)


def alike(given: JsonValue, right: JsonValue, same_text: SameText = texts_alike) -> bool:
    """Tell whether two values are equal: of one type, texts without case and punctuation.

    5 is 5.0, but neither is "5", and true is not 1. Lists keep their order, objects do not.
    """
    if _kind(given) != _kind(right):
        return False
    if isinstance(given, str) and isinstance(right, str):
        return same_text(given, right)
    if isinstance(given, list) and isinstance(right, list):
        return len(given) == len(right) and all(
            alike(item, wanted, same_text) for item, wanted in zip(given, right, strict=True)
        )
    if isinstance(given, dict) and isinstance(right, dict):
        return given.keys() == right.keys() and all(
            alike(given[key], right[key], same_text) for key in right
        )
    return given == right


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


def unlike(given: JsonValue, values: Sequence[JsonValue]) -> str:
    """Return what was given, and what is right."""
    kinds = list(dict.fromkeys(map(_kind, values)))
    if _kind(given) not in kinds:
        return f"{_shown(given)} is {_kind(given)}, and {' or '.join(kinds)} is right"
    right = " or ".join(map(_shown, values[:3]))
    return f"{_shown(given)}, and {right}{' or others' * (len(values) > 3)} is right"


def _shown(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def named(name: str) -> str:
    """Return a name as it stands where it is one, quoted and cut where it may be anything."""
    return name if name.isidentifier() or name.replace(".", "_").isidentifier() else _shown(name)


def defaults_of(sample: Sample) -> Defaults:
    """Return the defaults that the tools' schemas name, of arguments that may be left out."""
    return {tool.name: _defaults(tool.parameters) for tool in sample.tools}


def _defaults(parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
    properties, required = parameters.get("properties"), parameters.get("required")
    if not isinstance(properties, dict):
        return {}
    demanded = required if isinstance(required, list) else ()
    return {
        name: schema["default"]
        for name, schema in properties.items()
        if isinstance(schema, dict) and "default" in schema and name not in demanded
    }


def as_named(calls: Sequence[ToolCall], names: Collection[str]) -> tuple[ToolCall, ...]:
    """Return the calls by the names that the golden set has: ``math_sum`` is ``math.sum``.

    A name that is one of them stays, and so does one that could be two of them.
    """
    return tuple(_as_named(call, names) for call in calls)


def _as_named(call: ToolCall, names: Collection[str]) -> ToolCall:
    if call.name in names:
        return call
    meant = [name for name in names if respelt(name) == call.name]
    return call.amended(name=meant[0]) if len(meant) == 1 else call


def respelt(name: str) -> str:
    """Return a name in the characters and the length that providers take."""
    return _NOT_TAKEN.sub("_", name)[:_LONGEST]
