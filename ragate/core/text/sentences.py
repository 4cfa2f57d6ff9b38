"""Sentences of a text in any script, without a model."""

import re
from collections.abc import Iterable

_BLOCK = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]{0,20}(?:[-*+•#>|]|\d{1,3}[.)][ \t]))")
_HEADING = re.compile(r"(?m)^([ \t]{0,3}#{1,6}[ \t][^\n]*)\n")
# A run of closing signs, what closes with it, and the markers that cite for this sentence.
_END = re.compile(
    r"(?P<sign>[.!?…‽؟।።]++|[。！？｡]++)"
    r"[\"'”’»)\]*_]*+"
    r"(?:[ ]?\[\d{1,4}(?:\s?,\s?\d{1,4}){0,20}+\])*+"
)
_LAST_WORD = re.compile(r"([^\s(\[\"“‘'„«]*)$")
_ABBREVIATION_LIST = """
    dr mr mrs ms prof st sr sra jr rev hon gen col sgt capt lt gov sen rep vs cf al figs eqs ca
    approx dept est inc ltd co corp bros e.g i.e eg ie viz resp bzw z.b d.h u.a usw vgl ggf bspw
    p.ex u.s u.k a.m p.m ph.d mme mlle
"""
# Words or months too: short for something only where a number follows.
_BEFORE_NUMBER_LIST = """
    no nos nr fig eq sec ch chap vol p pp ed art abs tel ext min max
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_BEFORE_NUMBER = frozenset(_BEFORE_NUMBER_LIST.split())
# These end a sentence as often as they stand inside one: the next word decides.
_MAY_END = frozenset({"u.s", "u.k", "a.m", "p.m", "inc", "ltd", "co", "corp", "usw", "ph.d", "al"})


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped, none empty.

    Blank lines, list items and headings separate; a single line break is a space. A full stop
    does not end a sentence after an abbreviation, an initial or a bare list number, nor before a
    lower-case letter, nor inside a number. Closing quotation marks and citation markers stay with
    the sentence before them. Signs of Chinese, Japanese, Arabic, Indic and Ethiopic scripts count.
    """
    blocks = _BLOCK.split(_HEADING.sub(r"\1\n\n", text)) if "\n" in text else [text]
    return [sentence for block in blocks for sentence in _sentences_of(" ".join(block.split()))]


def _sentences_of(block: str) -> Iterable[str]:
    start = 0
    for match in _END.finditer(block):
        if match.start() >= start and _ends_sentence(block, start, match):
            sentence = block[start : match.end()].strip()
            if sentence:
                yield sentence
            start = match.end()
    last_sentence = block[start:].strip()
    if last_sentence:
        yield last_sentence


def _ends_sentence(block: str, start: int, match: re.Match[str]) -> bool:
    sign, end = match["sign"], match.end()
    if sign[0] in "。！？｡":
        return True
    if end < len(block) and block[end] != " ":
        return False
    following = block[end + 1 : end + 2]
    if following.islower():
        return False
    if sign != ".":
        return True
    before = block[max(start, match.start() - 24) : match.start()]
    return not _is_abbreviated(before, following, at_start=match.start() - start <= 24)


def _is_abbreviated(before: str, following: str, *, at_start: bool) -> bool:
    """Tell whether the full stop after `before` belongs to its last word."""
    last_word = _LAST_WORD.search(before)
    word = last_word.group(1) if last_word else ""
    if len(word) == 1 and word.isalpha() and word.isupper():
        return bool(following)
    if at_start and before.strip().isdigit():
        return True
    word = word.lower()
    if word in _BEFORE_NUMBER:
        return following.isdecimal()
    return word in _ABBREVIATIONS and not (word in _MAY_END and following.isupper())
