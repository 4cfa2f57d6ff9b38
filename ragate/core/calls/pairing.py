"""Calls paired with the right ones: by name and arguments, in any order."""

from collections import Counter
from collections.abc import Sequence

from ragate.core.calls.values import CallRules, alike, is_default, named, unlike
from ragate.models import ExpectedCall, ToolCall


def matched(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], rules: CallRules
) -> dict[int, int]:
    """Return the largest pairing of right calls with made ones: the number of each, from 0."""
    fits = [
        [number for number, call in enumerate(calls) if not mismatch(right, call, rules)]
        for right in expected
    ]
    return largest_pairing(fits)


def largest_pairing(fits: list[list[int]]) -> dict[int, int]:
    """Return the largest pairing of right ones with others.

    Args:
        fits: By right one, the numbers of those that fit it.
    """
    pairs: dict[int, int] = {}
    taken: dict[int, int] = {}
    for number in range(len(fits)):
        _pair(number, fits, pairs, taken)
    return pairs


def _pair(number: int, fits: list[list[int]], pairs: dict[int, int], taken: dict[int, int]) -> None:
    """Pair one more right one, if need be by giving those in its way another; breadth first."""
    reached_by: dict[int, int] = {}
    waiting = [number]
    for right in waiting:
        for other in fits[right]:
            if other in reached_by:
                continue
            reached_by[other] = right
            if other in taken:
                waiting.append(taken[other])
            else:
                _hand_on(other, reached_by, pairs, taken)
                return


def _hand_on(
    free: int, reached_by: dict[int, int], pairs: dict[int, int], taken: dict[int, int]
) -> None:
    """Give the free one to whom reached it, what that had to whom reached that, and so on."""
    given: int | None = free
    while given is not None:
        right = reached_by[given]
        taken[given] = right
        left, pairs[right] = pairs.get(right), given
        given = left


def in_order(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], rules: CallRules) -> int:
    """Return how many right calls were made in their order: the longest common subsequence."""
    row = [0] * (len(calls) + 1)
    for right in expected:
        above, row = row, [0]
        for number, call in enumerate(calls):
            fits = not mismatch(right, call, rules)
            row.append(above[number] + 1 if fits else max(above[number + 1], row[number]))
    return row[-1]


def why_not(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], rules: CallRules) -> str:
    """Return why the calls are not the right ones, "" where they are."""
    pairs = matched(expected, calls, rules)
    missing = [right for number, right in enumerate(expected) if number not in pairs]
    extra = [call for number, call in enumerate(calls) if number not in pairs.values()]
    if not missing:
        return f"{named(extra[0].name)}: not expected" if extra else ""
    right = missing[0]
    if not extra:
        return f"{named(right.name)}: not called"
    nearest = next((call for call in extra if call.name == right.name), extra[0])
    return mismatch(right, nearest, rules)


def mismatch(right: ExpectedCall, call: ToolCall, rules: CallRules) -> str:
    """Return in what a call differs from a right one, "" where it is as good."""
    name = named(call.name)
    if call.name != right.name:
        return f"{name} was called, and {named(right.name)} is right"
    if call.malformed:
        return f"{name}: the arguments are no JSON object"
    given, accepted = call.arguments, right.accepted
    own_defaults = rules.defaults.get(call.name, {})
    for argument, values in accepted.items():
        if argument not in given:
            if argument in right.optional or is_default(own_defaults, argument, values, rules):
                continue
            return f"{name}: {named(argument)} is missing"
        if not any(alike(given[argument], value, rules.same_text) for value in values):
            return f"{name}: {named(argument)} = {unlike(given[argument], values)}"
    for argument, value in given.items():
        if argument not in accepted and not is_default(own_defaults, argument, (value,)):
            return f"{name}: {named(argument)} is not expected"
    return ""


def wrongly_routed(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]) -> str:
    """Return which tool was called in place of a right one, whatever the arguments, else ""."""
    right, made = Counter(item.name for item in expected), Counter(call.name for call in calls)
    missing, extra = next(iter(right - made), ""), next(iter(made - right), "")
    if missing and extra:
        return f"{named(extra)} was called, and {named(missing)} is right"
    if missing:
        return f"{named(missing)}: not called"
    return f"{named(extra)}: not expected" if extra else ""
