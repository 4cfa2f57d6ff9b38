"""Sentences of a text in any script, without a model."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

_BLOCK = re.compile(
    r"\n[ \t\r]*\n|\n(?=[ \t]{0,20}(?:[-*+•#>|]|(?:\d{1,3}[.)]|[a-zA-Z]\))[ \t]))"
    r"|(?<=\|)[ \t\r]*+\n"
)
_OPENING = re.compile(r"[ \t]{0,20}(```|~~~)[`~]*+[^`]*+")
_CLOSING = re.compile(r"[ \t]{0,20}(```|~~~)[`~]*+[\s\[\],\d]*+")  # and what it cites
_CODE = re.compile(r"`[^`\n]++`")
_MOST_CODE = 80  # characters of code in a line; what is longer may hold sentences
_HEADING = re.compile(r"(?m)^([ \t]{0,3}#{1,6}[ \t][^\n]*)\n")
# A run of closing signs, what closes with it, and the markers that cite for this sentence.
_END = re.compile(
    r"(?P<sign>[.!?…‽؟।።]++|[。！？｡]++)"
    r"[\"'”’»)\]*_\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]*+"
    r"(?>(?:[ ]?\[\d{1,4}(?>(?:\s?,\s?\d{1,4}){0,20})\])*)"
)
# What follows the full stop behind a word of four letters or more.
_AFTER_WORD = re.compile(r"[^\W\d_]{4}\s?[.!?](?>(?:\s?\[\d{1,4}\]){0,5})\s+([^\W\d_])")
_LAST_WORD = re.compile(r"([^\s(\[\"“‘'„«]*)$")
_SECOND_OF_TWO = re.compile(r"(?:^|[^\w])[^\W\d_]\. ?[^\W\d_]$")  # the h of "d. h."
_INITIAL = re.compile(r"[^\W\d_]\.")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_ABBREVIATION_LIST = """
    dr mr mrs ms prof st sr sra jr rev hon gen col sgt capt lt gov sen rep vs cf al figs eqs ca
    approx dept est inc ltd co corp bros e.g i.e eg ie viz resp bzw z.b d.h u.a usw vgl ggf bspw
    p.ex u.s u.k a.m p.m ph.d mme mlle
    gem ziff bd aufl zzgl inkl exkl evtl sog bzgl hr str usf mio mrd einschl i.d.r o.ä s.o s.u
    pág núm ud uds ej sres dña env éd dott sig sigg bijv o.a t.a.v т.е т.д т.п г ул им
"""
# Words or months too: short for something only where a number follows.
_BEFORE_NUMBER_LIST = """
    no nos nr fig eq sec ch chap vol p pp ed art abs tel ext min max
    jan feb mar apr jun jul aug sep sept oct nov dec okt dez
    nr abs kap rn rdnr anm abb tab núm pág
"""
# What a German ordinal stands before: "3. Mai", "19. Jahrhundert".
_AFTER_ORDINAL_LIST = """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jahrtausend quartal halbjahr kapitel stock etage klasse tag tage woche
    monat jahr januari februari maart mei augustus
"""
_AFTER_ORDINAL = frozenset(_AFTER_ORDINAL_LIST.split())
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_BEFORE_NUMBER = frozenset(_BEFORE_NUMBER_LIST.split())
# These end a sentence as often as they stand inside one: the next word decides.
_MAY_END = frozenset({"u.s", "u.k", "a.m", "p.m", "inc", "ltd", "co", "corp", "usw", "ph.d", "al"})


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped, none empty.

    Blank lines, list items, rows of a table and headings separate; a single line break is a space,
    and a block of code that is closed is one sentence, as it stands. A full stop does not end a
    sentence after an abbreviation (z. B.), an initial, an ordinal (3. Mai) or a bare list number,
    nor before a small letter (but in a text whose sentences begin with small ones) or a section
    sign, nor inside a number or short code. Closing
    quotation marks and citation markers stay with the sentence before them. Signs of Chinese,
    Japanese, Arabic, Indic and Ethiopic scripts count.
    """
    if "```" not in text and "~~~" not in text:
        return _of_prose(text)
    found: list[str] = []
    for is_code, part in code_and_prose(text):
        found += [part.strip()] if is_code else _of_prose(part)
    return found


def code_and_prose(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a text in order, and whether each is a block of code.

    A fence that no later line closes opens none: else all behind it were one sentence.
    """
    lines = text.split("\n")
    closing: dict[str, list[int]] = {"```": [], "~~~": []}
    for number, line in enumerate(lines):
        if match := _CLOSING.fullmatch(line):
            closing[match[1]].append(number)
    start = number = 0
    while number < len(lines):
        opening = _OPENING.fullmatch(lines[number])
        ends = closing[opening[1]] if opening else []
        following = bisect_right(ends, number)
        if following == len(ends):
            number += 1
            continue
        yield False, "\n".join(lines[start:number])
        start = number
        number = ends[following] + 1
        yield True, "\n".join(lines[start:number])
        start = number
    yield False, "\n".join(lines[start:])


def _of_prose(text: str) -> list[str]:
    blocks = _BLOCK.split(_HEADING.sub(r"\1\n\n", text)) if "\n" in text else [text]
    return [
        sentence for block in blocks for sentence in _sentences_of(" ".join(block.split()), text)
    ]


@lru_cache(maxsize=16)
def _begins_in_lower_case(text: str) -> bool:
    """Tell whether a text begins its sentences with small letters, as some people and scripts do.

    One full stop before a small letter may be an abbreviation.
    """
    following = _AFTER_WORD.findall(text)
    lower = sum(map(str.islower, following))
    return lower >= max(2, len(following) - lower + 1)


def _sentences_of(block: str, text: str) -> Iterable[str]:
    if block.startswith("|") and block.endswith("|"):  # a row of a table
        yield block
        return
    start = 0
    spans = _CODE.finditer(block) if "`" in block else ()
    code = {place for span in spans for place in _short(*span.span())}
    for match in _END.finditer(block):
        if match.start() in code:
            continue
        if match.start() >= start and _ends_sentence(block, start, match, text):
            sentence = block[start : match.end()].strip()
            if sentence:
                yield sentence
            start = match.end()
    last_sentence = block[start:].strip()
    if last_sentence:
        yield last_sentence


def _short(start: int, end: int) -> range:
    return range(start, end if end - start <= _MOST_CODE else start)


def _ends_sentence(block: str, start: int, match: re.Match[str], text: str) -> bool:
    sign, end = match["sign"], match.end()
    if sign[0] in "。！？｡":
        return True
    if end < len(block) and block[end] != " ":
        return False
    following = block[end + 1 : end + 2]
    if following.islower() and (len(sign) > 1 or not _begins_in_lower_case(text)):
        return False
    if sign != ".":
        return True
    before = block[max(start, match.start() - 24) : match.start()]
    after = block[end + 1 : end + 24]
    return not _is_abbreviated(before, after, at_start=match.start() - start <= 24)


def _is_abbreviated(before: str, after: str, *, at_start: bool) -> bool:
    """Tell whether the full stop after `before` belongs to its last word."""
    following = after[:1]
    if following == "§":
        return True
    last_word = _LAST_WORD.search(before)
    word = last_word.group(1) if last_word else ""
    if len(word) == 1 and word.isalpha() and _is_initial(word, before, after):
        return bool(following)
    if word.isdecimal() and len(word) <= 2 and _first_word(after) in _AFTER_ORDINAL:
        return True
    if at_start and before.strip().isdigit():
        return True
    word = word.lower()
    if word in _BEFORE_NUMBER:
        return following.isdecimal()
    return word in _ABBREVIATIONS and not (word in _MAY_END and following.isupper())


def _first_word(text: str) -> str:
    match = _FIRST_WORD.match(text)
    return match[0].lower() if match else ""


def _is_initial(letter: str, before: str, after: str) -> bool:
    """Tell an initial, or a letter of z. B., from a word of one letter."""
    return letter.isupper() or bool(_INITIAL.match(after) or _SECOND_OF_TWO.search(before))
