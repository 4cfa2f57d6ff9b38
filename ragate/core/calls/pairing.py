"""Calls paired with the right ones: by name and arguments, in any order; and their results."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from pydantic import JsonValue

from ragate.core.calls.values import CallRules, alike, is_default, named, unlike
from ragate.models import CallResult, Executed, ExpectedCall, ToolCall
from ragate.settings import shown

MOST_RESULTS = 1_000  # more than are carried out of one sample


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
        reached_by: dict[int, int] = {}
        free = _reach_free(number, fits, taken, reached_by)
        # It goes to whom reached it, what that had to whom reached that, and so on.
        while free is not None:
            right = reached_by[free]
            taken[free] = right
            before = pairs.get(right)
            pairs[right] = free
            free = before
    return pairs


def _reach_free(
    number: int, fits: list[list[int]], taken: dict[int, int], reached_by: dict[int, int]
) -> int | None:
    """Return a free one that a right one reaches, if need be over those that have another.

    Breadth first; who reached which is noted.
    """
    waiting = [number]
    for right in waiting:
        for other in fits[right]:
            if other not in reached_by:
                reached_by[other] = right
                if other not in taken:
                    return other
                waiting.append(taken[other])
    return None


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


@dataclass(frozen=True)
class Tolerance:
    """How far results may lie apart.

    Attributes:
        relative, absolute: Of two numbers: the larger allowance counts.
        ignored: Keys of objects that do not count, at any depth.
    """

    relative: float = 1e-6
    absolute: float = 0.0
    ignored: Collection[str] = ()


def why_unequal(executed: Executed, tolerance: Tolerance) -> str:
    """Return in what the results differ from the right ones, "" where they are the same.

    Every right result pairs with one that came, in any order, and none is left over. More than
    `MOST_RESULTS` are not looked at, and not right.
    """
    counts = f"{len(executed.made)} results, and {len(executed.expected)} are right"
    if max(len(executed.made), len(executed.expected)) > MOST_RESULTS:
        return f"{counts}: more than {MOST_RESULTS} are not compared"
    fits = [
        [n for n, made in enumerate(executed.made) if not _unequal(made, right, tolerance)]
        for right in executed.expected
    ]
    pairs = largest_pairing(fits)
    paired = set(pairs.values())
    extra = [made for n, made in enumerate(executed.made) if n not in paired]
    missing = [right for n, right in enumerate(executed.expected) if n not in pairs]
    if failed := next((made.error for made in extra if made.error), ""):
        return failed
    if missing and extra:
        return _unequal(extra[0], missing[0], tolerance)
    return counts if missing or extra else ""


def _unequal(made: CallResult, right: CallResult, tolerance: Tolerance) -> str:
    if made.error:
        return made.error
    return difference(made.value, right.value, tolerance)


def difference(given: JsonValue, right: JsonValue, tolerance: Tolerance, place: str = "") -> str:
    """Return the first place where two values differ, with both; "" where they are equal."""
    if isinstance(given, dict) and isinstance(right, dict):
        keys = [key for key in (*right, *given) if key not in tolerance.ignored]
        for key in dict.fromkeys(keys):
            below = f"{place}.{key}" if place else key
            if key not in given or key not in right:
                return f"{below} {'is missing' if key in right else 'is not expected'}"
            if found := difference(given[key], right[key], tolerance, below):
                return found
        return ""
    if isinstance(given, list) and isinstance(right, list):
        if len(given) != len(right):
            return f"{place or 'the result'} has {len(given)} items, and {len(right)} are right"
        for number, pair in enumerate(zip(given, right, strict=True)):
            if found := difference(*pair, tolerance, f"{place}.{number}" if place else str(number)):
                return found
        return ""
    if _same(given, right, tolerance):
        return ""
    return f"{place or 'the result'} is {shown(given)}, and {shown(right)} is right"


def _same(given: JsonValue, right: JsonValue, tolerance: Tolerance) -> bool:
    if _is_number(given) and _is_number(right):
        return _close(given, right, tolerance)
    return type(given) is type(right) and given == right


def _close(given: float, right: float, tolerance: Tolerance) -> bool:
    try:
        return math.isclose(given, right, rel_tol=tolerance.relative, abs_tol=tolerance.absolute)
    except OverflowError:  # a whole number that no float holds
        exact, wanted = Fraction(given), Fraction(right)
    allowed = Fraction(tolerance.relative) * max(abs(exact), abs(wanted))
    return abs(exact - wanted) <= max(allowed, Fraction(tolerance.absolute))


def _is_number(value: JsonValue) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
