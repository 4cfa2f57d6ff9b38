"""The entities that calls name: which of the right ones are there, wherever they stand."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ragate.core.calls.dates import SameText
from ragate.core.calls.values import alike, named
from ragate.models import ExpectedCall, ToolCall

Slot = tuple[str, tuple[JsonValue, ...]]
"""An argument with the values that stand in it: a list is several."""


@dataclass(frozen=True)
class Found:
    """Entities counted.

    Attributes:
        right: Those that are expected.
        given: Those that were given.
        both: Pairs of them.
        missing: The first one that is expected and not there, as it is told.
    """

    right: int
    given: int
    both: int
    missing: str = ""


def found_entities(
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    arguments: Collection[str],
    same_text: SameText,
) -> Found:
    """Count the entities of calls against those of the right calls.

    The tool does not matter, so that a wrong choice of it hides nothing here. Every right argument
    takes the given one of its name that holds most of it.

    Args:
        arguments: Those that hold entities; all, where it is empty.
    """
    given = list(_given(calls, arguments))
    total, right, both, missing = sum(len(values) for _, values in given), 0, 0, ""
    for argument, options, optional in _wanted(expected, arguments):
        fits = [
            (_common(values, option, same_text), -len(option), place, option)
            for place, (name, values) in enumerate(given)
            if name == argument
            for option in options
        ]
        common, _, place, option = max(
            fits, key=lambda fit: fit[:3], default=(0, 0, -1, options[0])
        )
        if fits:
            given.pop(place)
        elif optional:
            continue
        right, both = right + len(option), both + common
        if common < len(option):
            missing = missing or f"{named(argument)}: {', '.join(map(repr, option))[:80]} is right"
    return Found(right, total, both, missing)


def _given(calls: Sequence[ToolCall], arguments: Collection[str]) -> Iterator[Slot]:
    for call in calls:
        for name, value in call.arguments.items():
            if not arguments or name in arguments:
                yield name, _each(value)


def _wanted(
    expected: Sequence[ExpectedCall], arguments: Collection[str]
) -> Iterator[tuple[str, list[tuple[JsonValue, ...]], bool]]:
    for call in expected:
        for name, values in call.accepted.items():
            if not arguments or name in arguments:
                yield name, [_each(value) for value in values], name in call.optional


def _each(value: JsonValue) -> tuple[JsonValue, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _common(given: Sequence[JsonValue], right: Sequence[JsonValue], same_text: SameText) -> int:
    left = list(given)
    count = 0
    for value in right:
        place = next((n for n, item in enumerate(left) if alike(item, value, same_text)), None)
        if place is not None:
            left.pop(place)
            count += 1
    return count
