"""Values of calls: when two are the same, dates and entities among them."""

import calendar
import datetime
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

from pydantic import JsonValue

from ragate.models import ExpectedCall, Sample, ToolCall
from ragate.settings import shown

Defaults = Mapping[str, Mapping[str, JsonValue]]
"""By tool, its arguments that have a default."""
_NOT_TAKEN = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64  # characters; OpenAI and Anthropic take no more
Period = tuple[datetime.date, datetime.date]
"""First and last day."""
Slot = tuple[str, tuple[JsonValue, ...]]
"""An argument with the values that stand in it: a list is several."""
Mode = Literal["", "behavioural", "structural", "data"]
SameText = Callable[[str, str], bool]
"""Tells whether a given text is as good as a right one."""

_TODAY = re.compile(r"\{today(?P<shift>[+-]\d{1,5}[dwmqy])?\}")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[t ]\d{2}:\d{2}.*)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_QUARTER = re.compile(r"(?P<year>\d{4})[ -]?q(?P<of>[1-4])|q(?P<of2>[1-4])[ -]?(?P<year2>\d{4})")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_SHIFT = re.compile(r"(?P<sign>[+-])(?P<count>\d{1,5})(?P<unit>[dwmqy])")
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_AGO = re.compile(rf"(?P<count>\d{{1,5}}) {_UNIT}s? ago")
_IN = re.compile(rf"in (?P<count>\d{{1,5}}) {_UNIT}s?")
_SPAN = re.compile(rf"(?:the )?(?:last|past|previous) (?P<count>\d{{1,5}}) {_UNIT}s?")
_CALENDAR = re.compile(
    r"(?P<which>last|previous|this|current|next) (?P<unit>week|month|quarter|year)"
)
_WORDS = {"today": 0, "now": 0, "0d": 0, "yesterday": -1, "tomorrow": 1}
_WHICH = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1}
_NAMED_DAYS = ("%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y")
_NAMED_MONTHS = ("%B %Y", "%b %Y")
_MONTHS = {"m": 1, "q": 3, "y": 12}


def filled(text: str, today: datetime.date) -> str:
    """Return a right value with ``{today}``, ``{today-7d}`` and the like written out."""
    match = _TODAY.fullmatch(text.strip())
    if match is None:
        return text
    found = _shifted_by(match["shift"], today) if match["shift"] else today
    return text if found is None else found.isoformat()


def same_dates(mode: Mode, today: datetime.date, same_text: SameText) -> SameText:
    """Return the comparison of texts of which the right one may be a date.

    Args:
        mode: behavioural: any date is as good as another. structural: both lead to the same days,
            relative ones as of `today`. data: the given one is written out and names the days
            that the right one leads to. "": only ``{today}`` in a right value counts.
        same_text: Compares what is no date.
    """

    def same(given: str, right: str) -> bool:
        wanted = filled(right, today)
        days = period(wanted, today) if mode else None
        if days is None:
            return same_text(given, wanted)
        if mode == "data":
            return written_out(given) == days
        got = period(given, today) or written_out(given)
        return got is not None if mode == "behavioural" else got == days

    return same


def period(text: str, today: datetime.date) -> Period | None:
    """Return the days that a text names, None where it is no date.

    Four or eight digits alone are more often a number.
    """
    words = _plain(text)
    if _YEAR.fullmatch(words) or _COMPACT.fullmatch(words):
        return None
    try:
        return written_out(words) or _relative(words, today)
    except (ValueError, OverflowError):  # the 31st of April, the year 12000
        return None


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").casefold().split())


def written_out(text: str) -> Period | None:
    """Return the days of a date that needs no other one to be understood."""
    words = _plain(text)
    try:
        if match := _DAY.fullmatch(words) or _COMPACT.fullmatch(words):
            day = datetime.date(*map(int, match.groups()))
            return day, day
        if match := _MONTH.fullmatch(words):
            return _months(datetime.date(int(match[1]), int(match[2]), 1), 1)
        if match := _QUARTER.fullmatch(words):
            quarter = int(match["of"] or match["of2"])
            return _months(
                datetime.date(int(match["year"] or match["year2"]), 3 * quarter - 2, 1), 3
            )
        if _YEAR.fullmatch(words):
            return _months(datetime.date(int(words), 1, 1), 12)
    except (ValueError, OverflowError):
        return None
    return _in_words(words)


def _in_words(words: str) -> Period | None:
    for form in (*_NAMED_DAYS, *_NAMED_MONTHS):
        try:
            day = datetime.datetime.strptime(words, form).date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue
        return _months(day, 1) if form in _NAMED_MONTHS else (day, day)
    return None


def _relative(words: str, today: datetime.date) -> Period | None:
    if words in _WORDS:
        day = today + datetime.timedelta(days=_WORDS[words])
        return day, day
    if match := _CALENDAR.fullmatch(words):
        return _calendar(match["unit"], _WHICH[match["which"]], today)
    if match := _SPAN.fullmatch(words):
        return _shifted(today, -int(match["count"]), match["unit"][0]), today
    if _SHIFT.fullmatch(words):
        shifted = _shifted_by(words, today)
        return None if shifted is None else (shifted, shifted)
    if match := _AGO.fullmatch(words) or _IN.fullmatch(words):
        sign = -1 if words.endswith("ago") else 1
        day = _shifted(today, sign * int(match["count"]), match["unit"][0])
        return day, day
    return None


def _calendar(unit: str, which: int, today: datetime.date) -> Period:
    if unit == "week":
        monday = today + datetime.timedelta(days=7 * which - today.weekday())
        return monday, monday + datetime.timedelta(days=6)
    length = _MONTHS[unit[0]]
    first = today.replace(month=(today.month - 1) // length * length + 1, day=1)
    return _months(_shifted(first, which * length, "m"), length)


def _months(first: datetime.date, count: int) -> Period:
    return first, _shifted(first, count, "m") - datetime.timedelta(days=1)


def _shifted_by(text: str, today: datetime.date) -> datetime.date | None:
    match = _SHIFT.fullmatch(text)
    if match is None:
        return None
    count = int(match["sign"] + match["count"])
    try:
        return _shifted(today, count, match["unit"])
    except (ValueError, OverflowError):
        return None


def _shifted(day: datetime.date, count: int, unit: str) -> datetime.date:
    """Return the day so many units later; the 31st becomes the last day of a shorter month."""
    if unit not in _MONTHS:
        return day + datetime.timedelta(days=count * (7 if unit == "w" else 1))
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    year, month = months // 12, months % 12 + 1
    last = calendar.monthrange(year, month)[1]
    return day.replace(year=year, month=month, day=min(day.day, last))


_IGNORED = re.compile(r"[ ,./\-_*^]")


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
        return f"{shown(given)} is {_kind(given)}, and {' or '.join(kinds)} is right"
    right = " or ".join(map(shown, values[:3]))
    return f"{shown(given)}, and {right}{' or others' * (len(values) > 3)} is right"


def named(name: str) -> str:
    """Return a name as it stands where it is one, quoted and cut where it may be anything."""
    return name if name.isidentifier() or name.replace(".", "_").isidentifier() else shown(name)


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


def tool_names(sample: Sample) -> set[str]:
    """Return the names that the golden set has for what may be called."""
    right = (call.name for call in sample.expected_calls or ())
    return {*right, *(tool.name for tool in sample.tools)}


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
