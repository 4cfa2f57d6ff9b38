"""The numbers, number words and dates of a text, each in one spelling."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.languages import language, writes_decimal_comma
from ragate.core.text.unicode_forms import visible


def _counted_from(first: int, words: str, *, step: int = 1) -> dict[str, int]:
    return {word: first + step * place for place, word in enumerate(words.split())}


_ONES = _counted_from(
    0,
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
    """,
)
_TENS = _counted_from(20, "twenty thirty forty fifty sixty seventy eighty ninety", step=10)
# Not first and second, which order an answer and measure time.
_ORDINALS = _counted_from(
    3,
    """
    third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
    """,
) | _counted_from(30, "thirtieth fortieth fiftieth", step=10)
# From two to twelve in other languages, without what is another word as well: due, once, dos.
_ABROAD = {
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "deux trois quatre cinq six - huit - dix onze douze",
    "es": "- tres cuatro cinco seis siete ocho nueve diez - doce",
    "it": "- tre quattro cinque - sette otto nove dieci undici dodici",
    "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
}
_BY_LANGUAGE = {code: _counted_from(2, listed) for code, listed in _ABROAD.items()}
_FRACTION = re.compile(r"(?:\b(?:a|one|two|three|four)|\d)[ -]$")  # before a third
_POWER_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONE_TO_NINE = [*list(_ONES)[1:10], "first", "second", *list(_ORDINALS)[:7]]
_DIGITS = "|".join(_ONE_TO_NINE)
_SMALL = f"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_DIGITS}))?|{'|'.join(reversed(_ONES))})"
_BELOW_1000 = f"{_SMALL}\\b(?:[ -]hundred\\b(?:[ -](?:and )?{_SMALL}\\b)?)?"
_SPELLED = re.compile(
    rf"\b{_BELOW_1000}(?:[ -](?:{'|'.join(_POWER_WORDS)})\b(?:[ -](?:and )?{_BELOW_1000})?){{0,4}}"
)
_WORD = re.compile(r"[^\W\d_]++")
_BEGINS = frozenset((*_ONES, *_TENS, *_ORDINALS)).union(*_BY_LANGUAGE.values()) - {"-"}
_VALUES = {**_ONES, **_TENS, **_ORDINALS, "first": 1, "second": 2}
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
    # 2024-05-01, 2024年5月1日, 1.5.2024, 1 May 2024, May 1, 2024
    r"(?P<y1>\d{4})(?P<s>[-/])(?P<m1>\d{1,2})(?P=s)(?P<d1>\d{1,2})"
    r"|(?P<y2>\d{4}) ?[年년] ?(?P<m2>\d{1,2}) ?[月월] ?(?P<d2>\d{1,2}) ?[日일]?"
    r"|(?P<a>\d{1,2})(?P<t>[./])(?P<b>\d{1,2})(?P=t)(?P<y3>\d{4})"
    rf"|{_DAY.format('d4')} (?:of |de )?(?P<m4>{_NAME})\b\.? ?,? ?(?:de |del )?(?P<y4>\d{{4}})"
    rf"|(?P<m5>{_NAME})\b\.? {_DAY.format('d5')} ?,? (?P<y5>\d{{4}})"
    r")(?!\d|[./-]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}")
_MONTH_BEFORE = re.compile(r"\b([^\W\d_]{3,10})\.? $")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_MONTH_AFTER = re.compile(r"(?:st|nd|rd|th|er|º|\.)? (?:of |de )?([^\W\d_]{3,10})\b")
_OF_YEAR = re.compile(r"/((?:19|20)\d\d)(?![\d/])")  # behind a month: 03/2022
_NO_MONTHS = {"may", "mar", "mars", "sep", "set", "dec", "mai"}  # in small letters
_CLOCK = re.compile(
    r"(?:(?::|\s?h\s?)(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?(?!\d|:|\s?min))?"
    r"(?:\s?(?P<half>[ap])(?:\.\s?m\.|m\b)|\s?(?P<uhr>Uhr\b)(?:\s(?P<past>[0-5]\d)\b)?)?",
    re.IGNORECASE,
)
_GAPS = "\u00a0\u2009\u202f"
_SCALES = {
    3: "thousand thousands tausend tsd mille mil k",
    4: "万 萬 만",
    5: "lakh lakhs",
    6: "million millions millionen millones millón milioni milhões miljoen mio mln mn m",
    7: "crore crores",
    8: "億 亿 억",
    9: "billion billions milliarden milliarde milliard milliards miliardi miljard mrd bn b",
    12: "trillion trillions billionen tn t 兆",
}
_POWERS = {word: power for power, words in _SCALES.items() for word in words.split()}
_HAN = "万萬億亿兆만억"  # written without a space before what is counted
_LETTERS = {"k", "m", "b", "t"}  # short for a scale only where they touch the number
_WORDS = "|".join(sorted(_POWERS.keys() - _LETTERS - set(_HAN), key=len, reverse=True))
_NUMBER = re.compile(
    r"(?>(?P<version>\b(?:v|version |release )(?=\d))?)"
    r"(?P<digits>(?<![\d.,])\d{1,3}(?>(?: \d{3}){1,20})(?!\d)(?>(?:[.,]\d++)?)"
    rf"|(?>(?:(?<![\w.,])\.)?)\d++(?>(?:[.,'\u2019{_GAPS}]\d++)*))"
    rf"(?:[ {_GAPS}-]?(?P<scale>(?:{_WORDS})(?!\w)|[{_HAN}])|(?P<letter>[kKmMbBtT])(?!\w))?",
    re.IGNORECASE,
)
_GROUPED = re.compile(rf"\d{{1,3}}(?:([.,' \u2019{_GAPS}])\d{{3}})(?>(?:\1\d{{3}})*)(?:[.,]\d++)?")
_MINUS = re.compile(r"(?<![\w.,)\]])[-\u2212]")  # and no dash of a range, a date or a word
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d++)?")
_AMBIGUOUS = re.compile(r"\d{1,3}[.,]\d{3}")
_MAY_BE_VERSION = re.compile(r"\d{1,3}\.[1-9]0")  # 2.10 is 2.1, or what follows 2.9
_RANGE = re.compile(r"\s?(?:-|–|—|to|and|or|bis|und|oder|à|ou|y|o)\s?[$€£]?", re.IGNORECASE)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９，．％＄", "0123456789,.%$")
_CURRENCY = frozenset("$€£¥₹₩")
# A decimal comma (3,5), or points between thousands (1.234.567), and their opposites.
_COMMA_SHOWN = re.compile(r"(?<![\d.,])(?:\d++,\d{1,2}(?![\d.,])|\d{1,3}\.\d{3}(?:\.\d{3}|,\d))")
_POINT_SHOWN = re.compile(r"(?<![\d.,])(?:\d++\.\d{1,2}(?![\d.,])|\d{1,3},\d{3}(?:,\d{3}|\.\d))")


class Numeral(NamedTuple):
    """A number of a text: where it stands, and how it may be read, the likeliest first.

    Attributes:
        parts: What it confirms besides: the year of a date, each column of a row of numbers.
        claims: Not "one" by itself: it can confirm a 1, but is a pronoun more often than a figure.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    parts: tuple[str, ...] = ()
    claims: bool = True


def spelled_numbers(text: str) -> Iterator[Numeral]:
    """Yield the spelled-out numbers of a text in order."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is two: places would be wrong
        lowered = text
    end = 0  # of the number before
    # Looking each word up is ten times as fast as trying the whole pattern everywhere.
    for word_match in _WORD.finditer(lowered):
        start, word = word_match.start(), word_match[0]
        if word not in _BEGINS or start < end:
            continue

        if ordinal := _ORDINALS.get(word):
            is_fraction = _FRACTION.search(lowered, max(0, start - 7), start)
            if not is_fraction:
                end = word_match.end()
                yield Numeral(start, end, (str(ordinal),))
        elif spelled := _SPELLED.match(lowered, start):
            end = spelled.end()
            yield Numeral(start, end, (str(_value(spelled[0])),), claims=spelled[0] != "one")
        elif value := _value_abroad(word, language(text)):
            end = word_match.end()
            yield Numeral(start, end, (str(value),))


def _value_abroad(word: str, code: str) -> int:
    """Return the value of a number word of a language, of any where it is not known; else 0."""
    tables = [_BY_LANGUAGE.get(code, {})] if code else _BY_LANGUAGE.values()
    return max(table.get(word, 0) for table in tables)


def _value(words: str) -> int:
    total = below_1000 = 0
    for word in _WORD.findall(words):
        if word == "hundred":
            below_1000 *= 100
        elif word in _POWER_WORDS:
            total, below_1000 = total + below_1000 * _POWER_WORDS[word], 0
        elif word != "and":
            below_1000 += _VALUES.get(word, 0)
    return total + below_1000


def in_digits(word: str) -> str:
    """Return a number word of one word in digits, any other as it is: eight is 8."""
    value = _ONES.get(word, _TENS.get(word))
    return word if value is None else str(value)


def is_number_word(word: str) -> bool:
    """Tell whether a word in lower case is a number, or a part of one, by itself."""
    return word in _VALUES or word in _POWER_WORDS or word == "hundred"


def calendar_dates(text: str) -> Iterator[Numeral]:
    """Yield the dates of a text that have a year, in order; 2024-13-45 is none.

    Each is read as YYYY-MM-DD, in two ways where day and month may be meant either way.
    """
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        readings = tuple(
            f"{year:04}-{month:02}-{day:02}"
            for year, month, day in dict.fromkeys(_year_month_day(match))
            if 1 <= month <= 12 and 1 <= day <= 31
        )
        if readings:
            numbers = [str(int(part)) for date in readings for part in date.split("-")]
            months_and_days = [part for date in readings for part in (date[:7], f"-{date[4:]}")]
            parts = tuple(dict.fromkeys([*numbers, *months_and_days]))
            yield Numeral(match.start(), match.end(), readings, parts)


def folded(word: str) -> str:
    """Return a word as tables hold it: what matches without case may be a long s or a dotted I."""
    return unicodedata.normalize("NFKC", word).casefold().replace("\u0307", "")


def _year_month_day(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    if match["y3"]:  # a day and a month in numbers
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


def numerals(text: str) -> list[Numeral]:
    """Return the numbers of a text in order, with their places in the `visible` text.

    6,000 and 6'000 and 6 000 and 6000.0 are "6000"; 1,23,456 is "123456"; 3,5 is "3.5"; .5 is
    "0.5"; 1.5 million, $1.5M and 1,5 Mio. are "1500000". 1.000 is a thousand where the text shows
    that it writes thousands so, by its other numbers or its language, and else read both ways.
    A version keeps its digits: v2.10 is "2.10", 1.2.3 is "1.2.3". A date is one number:
    "2024-05-01", a time "14:30". Units are left out, the percent sign included. English number
    words are read.
    """
    text = text if text.isascii() else visible(text).translate(_FULL_WIDTH)
    dates = list(calendar_dates(text))
    in_order = sorted([*_outside_dates(dates, text), *dates, *spelled_numbers(text)])
    return _with_ranges(in_order, text)


def _with_ranges(in_order: list[Numeral], text: str) -> list[Numeral]:
    """Return numbers with what the other end of their range says for both.

    The hour of "2 to 4 pm" is a time, 75 of "75 to 250 million" may be millions, and 28 of "March
    19 to 28" is a day.
    """
    for place in range(len(in_order) - 1):
        first, second = in_order[place], in_order[place + 1]
        if not shares_unit(text[first.end : second.start]):
            continue
        begins, ends = text[first.start : first.end], text[second.start : second.end]
        if begins.isdecimal() and any(map(str.isalpha, ends)):
            unit = ends.lstrip("0123456789.,:")
            in_order[place] = _also_read(first, begins + unit)
        elif ends.isdecimal() and any(map(str.isalpha, begins)):
            month = begins.rstrip("0123456789")
            in_order[place + 1] = _also_read(second, month + ends)
    return in_order


def _also_read(numeral: Numeral, written: str) -> Numeral:
    """Return a number that may be what is written as well; an hour is one of either half."""
    others = numerals(written)
    if len(others) != 1:
        return numeral
    readings = others[0].readings
    if ":" in readings[0]:
        hour = int(numeral.readings[0])
        readings = tuple(f"{each:02}:00" for each in (hour, (hour + 12) % 24))
    return numeral._replace(readings=tuple(dict.fromkeys((*numeral.readings, *readings))))


def shares_unit(between: str) -> bool:
    """Tell whether what stands between two numbers makes them ends of a range: 20 to 30 days."""
    return bool(_RANGE.fullmatch(between))


def month_of(word: str) -> str:
    """Return what a date of that month holds, "-03-" for March; "" for what is no month."""
    month = _MONTHS.get(folded(word))
    return f"-{month:02}-" if month else ""


def _outside_dates(dates: Sequence[Numeral], text: str) -> Iterator[Numeral]:
    """Yield the numbers in digits outside of dates."""
    starts = [0, *(date.end for date in dates)]
    ends = [*(date.start for date in dates), len(text)]
    for start, end in zip(starts, ends, strict=True):
        position = start
        for match in _NUMBER.finditer(text, start, end):
            if match.start() >= position:
                numeral = _time(match, text) or _part_of_date(match, text) or _numeral(match, text)
                position = numeral.end
                yield numeral


def _time(match: re.Match[str], text: str) -> Numeral | None:
    """Return a time of day: 14:30, 2:30 pm, 14.30 Uhr, 14h30; without am and pm either half."""
    hour, _, minute = match["digits"].partition(".")
    is_hour = len(hour) <= 2 and hour.isdecimal() and int(hour) <= 24
    if not is_hour or len(minute) not in {0, 2}:
        return None
    clock = _CLOCK.match(text, match.end("digits"))
    if clock is None:
        return None
    is_marked = bool(clock["half"] or clock["uhr"])
    if not is_marked and (minute or not clock["m"]):  # 14.30 by itself is a number
        return None
    if minute and clock["m"]:  # 14.30:15
        return None

    hours = int(hour)
    if clock["half"]:
        possible = [hours % 12 + (12 if clock["half"] in "pP" else 0)]
    elif clock["uhr"] or hours == 0 or hours > 12 or hour.startswith("0"):
        possible = [hours]
    else:
        possible = [hours, (hours + 12) % 24]
    minute = minute or clock["m"] or clock["past"] or "00"
    seconds = f":{clock['s']}" if clock["s"] else ""
    readings = tuple(f"{each:02}:{minute}{seconds}" for each in possible)
    parts = (str(hours), str(int(minute))) if int(minute) else (str(hours),)
    return Numeral(match.start(), clock.end(), readings, parts)


def _part_of_date(match: re.Match[str], text: str) -> Numeral | None:
    """Return a day of a month, "--03-15", or a month of a year, "2024-03", also of 03/2024."""
    digits, start, end = match["digits"], match.start("digits"), match.end("digits")
    if not digits.isdecimal() or len(digits) not in {1, 2, 4} or match["scale"]:
        return None
    before = _month_before(text, start)
    if len(digits) == 4:
        if before is None:
            return None
        month, month_start = before
        return Numeral(month_start, end, (f"{digits}-{month:02}",), (digits,))

    number = int(digits)
    if not 1 <= number <= 31:
        return None
    year = _OF_YEAR.match(text, end)
    if year and number <= 12:
        return Numeral(start, year.end(), (f"{year[1]}-{number:02}",), (year[1],))

    if before is not None:
        month, start = before
        end = _behind_ordinal(text, end)
    elif (after := _month_after(text, end)) is not None:
        month, end = after
    else:
        return None
    return Numeral(start, end, (f"--{month:02}-{number:02}",), (str(number),))


def _month_before(text: str, end: int) -> tuple[int, int] | None:
    """Return the month whose name ends at a place, and where the name starts."""
    match = _MONTH_BEFORE.search(text, max(0, end - 14), end)
    if match is None or not match[1][0].isupper():
        return None
    month = _MONTHS.get(folded(match[1]))
    return None if month is None else (month, match.start())


def _month_after(text: str, start: int) -> tuple[int, int] | None:
    """Return the month whose name follows a day that ends at a place, and where the name ends."""
    match = _MONTH_AFTER.match(text, start)
    if match is None or match[1] in _NO_MONTHS:
        return None
    month = _MONTHS.get(folded(match[1]))
    return None if month is None else (month, match.end())


def _numeral(match: re.Match[str], text: str) -> Numeral:
    """Return a number that is no time and no date; a version keeps its digits."""
    digits = "".join(str(unicodedata.decimal(char, char)) for char in match["digits"])
    if match["version"] and digits.replace(".", "").isdigit():
        return Numeral(match.start(), match.end("digits"), (digits,))

    power = _power(match, text)
    end = match.end() if power else _behind_ordinal(text, match.end("digits"))
    readings = [_plain(reading, power) for reading in _readings(digits, text)]
    if _MAY_BE_VERSION.fullmatch(digits):
        readings.append(digits)
    start = match.start("digits")
    if _MINUS.search(text, max(start - 1, 0), start):
        readings = [reading if reading == "0" else f"-{reading}" for reading in readings]
    columns = [_plain(part, 0) for part in digits.split(" ")] if " " in digits else []
    return Numeral(match.start(), end, tuple(dict.fromkeys(readings)), tuple(columns))


def _behind_ordinal(text: str, end: int) -> int:
    """Return the place behind the "rd" of "3rd", the same one where there is none."""
    ordinal = _ORDINAL.match(text, end)
    return ordinal.end() if ordinal else end


def _power(match: re.Match[str], text: str) -> int:
    """Return the power of ten of a scale; a letter needs a currency, or be a capital K, M or B."""
    if match["scale"]:
        return _POWERS.get(folded(match["scale"]), 0)
    letter = match["letter"]
    if not letter:
        return 0
    start = match.start()
    before = text[max(start - 2, 0) : start].rstrip()
    has_currency = before[-1:] in _CURRENCY
    return _POWERS.get(folded(letter), 0) if letter in "kKMB" or has_currency else 0


def _readings(digits: str, text: str) -> list[str]:
    """Return a number with its thousands closed up and a point for the decimal sign."""
    if _AMBIGUOUS.fullmatch(digits):
        has_point = "." in digits
        grouped = re.sub("[.,]", "", digits)
        decimal = digits.replace(",", ".")
        point_groups = _point_groups(text)
        if point_groups is None:
            return [decimal, grouped] if has_point else [grouped]
        return [grouped] if has_point == point_groups else [decimal]
    if groups := _GROUPED.fullmatch(digits):
        separator = groups[1]
        return [digits.replace(separator, "").replace(",", ".")]
    if _INDIAN.fullmatch(digits):
        return [digits.replace(",", "")]
    return [re.sub(rf"[,' \u2019{_GAPS}]", ".", digits)]


@lru_cache(maxsize=64)
def _point_groups(text: str) -> bool | None:
    """Tell whether a text writes 1.000 for a thousand, None where it does not show it."""
    shows_comma, shows_point = bool(_COMMA_SHOWN.search(text)), bool(_POINT_SHOWN.search(text))
    if shows_comma != shows_point:
        return shows_comma
    return True if writes_decimal_comma(text) else None


def _plain(number: str, power: int) -> str:
    """Return a number times ten to the power, without zeros that say nothing."""
    integer, _, fraction = number.partition(".")
    if "." in fraction:  # 1.2.3
        return number
    integer += fraction[:power].ljust(power, "0")
    integer = integer.lstrip("0") or "0"
    fraction = fraction[power:].rstrip("0")
    return f"{integer}.{fraction}" if fraction else integer
