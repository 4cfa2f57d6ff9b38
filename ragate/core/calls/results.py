"""Results of calls held against the right ones: by value, numbers within a tolerance."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from pydantic import JsonValue

from ragate.core.calls.pairing import largest_pairing
from ragate.models import CallResult, Executed

MOST_RESULTS = 1_000  # as many as `most_calls` lets be carried out
_SHOWN = 60


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
    return f"{place or 'the result'} is {_shown(given)}, and {_shown(right)} is right"


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


def _shown(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
