"""Dates of a text, each in one spelling: 2024-05-01 and 1 May 2024 are one date."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

# By month, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTH_LIST = """
jan january januar jänner janvier enero gennaio janeiro januari
feb february februar février febrero febbraio fevereiro februari
mar march märz mär mars marzo março maart
apr april avril abril aprile
may mai mayo maggio maio mei
jun june juni juin junio giugno junho
jul july juli juillet julio luglio julho
aug august août agosto augustus
sep sept september septembre septiembre settembre setembro
oct october oktober okt octobre octubre ottobre outubro
nov november novembre noviembre novembro
dec december dezember dez décembre diciembre dicembre dezembro
"""
_MONTHS = {
    name: number
    for number, line in enumerate(_MONTH_LIST.strip().splitlines(), start=1)
    for name in line.split()
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?"
_DATE = re.compile(
    r"(?<![\w.,/-])(?:"
    r"(?P<y1>\d{4})(?P<s>[-/])(?P<m1>\d{1,2})(?P=s)(?P<d1>\d{1,2})"
    r"|(?P<y2>\d{4}) ?[年년] ?(?P<m2>\d{1,2}) ?[月월] ?(?P<d2>\d{1,2}) ?[日일]?"
    r"|(?P<a>\d{1,2})(?P<t>[./])(?P<b>\d{1,2})(?P=t)(?P<y3>\d{4})"
    rf"|{_DAY.format('d4')} (?:of |de )?(?P<m4>{_NAME})\b\.? ?,? ?(?:de |del )?(?P<y4>\d{{4}})"
    rf"|(?P<m5>{_NAME})\b\.? {_DAY.format('d5')} ?,? (?P<y5>\d{{4}})"
    r")(?!\d|[./-]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}")


class CalendarDate(NamedTuple):
    """A date: where it stands, and as YYYY-MM-DD; two where day and month may be meant either way.

    Attributes:
        parts: Its numbers by themselves: a date also confirms its year, month and day.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    parts: tuple[str, ...]


def calendar_dates(text: str) -> Iterator[CalendarDate]:
    """Yield the dates of a text that have a year, in order; 2024-13-45 is none."""
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        readings = tuple(_iso(*each) for each in dict.fromkeys(_year_month_day(match)) if _is(each))
        if readings:
            parts = dict.fromkeys(str(int(part)) for each in readings for part in each.split("-"))
            yield CalendarDate(match.start(), match.end(), readings, tuple(parts))


def folded(word: str) -> str:
    """Return a word as tables hold it: what matches without case may be a long s or a dotted I."""
    return unicodedata.normalize("NFKC", word).casefold().replace("\u0307", "")


def _year_month_day(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    if match["y3"]:
        first, second, year = int(match["a"]), int(match["b"]), int(match["y3"])
        yield year, second, first
        if match["t"] == "/":
            yield year, first, second
        return
    form = next(number for number in "1245" if match[f"y{number}"])
    name = folded(match[f"m{form}"])
    # What no month is called after all, month 0, is no date.
    month = _MONTHS.get(name) or (int(name) if name.isdecimal() else 0)
    yield int(match[f"y{form}"]), month, int(match[f"d{form}"])


def _is(date: tuple[int, int, int]) -> bool:
    return 1 <= date[1] <= 12 and 1 <= date[2] <= 31


def _iso(year: int, month: int, day: int) -> str:
    return f"{year:04}-{month:02}-{day:02}"
