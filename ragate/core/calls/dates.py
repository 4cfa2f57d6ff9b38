"""Dates in arguments of calls: written out or relative to a reference date."""

import datetime
import re
from collections.abc import Callable
from typing import Literal

Period = tuple[datetime.date, datetime.date]
"""First and last day."""
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
    first = datetime.date(months // 12, months % 12 + 1, 1)
    after = datetime.date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    return min(first.replace(day=1) + datetime.timedelta(days=day.day - 1), after - _ONE_DAY)


_ONE_DAY = datetime.timedelta(days=1)
