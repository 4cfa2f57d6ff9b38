"""The citations of an answer in one spelling, [1], whatever it writes for them.

What cites is told by its form, and by consistency where a form is also that of a number: (1) and a
link [1](…) cite at the end of a clause, if no such number is above that of the passages.
"""

import re
from collections.abc import Sequence

_CODE = re.compile(r"(```(?>(?:(?!```).)*)```|`[^`\n]*+`)", re.DOTALL)
_SIGNS = re.compile(r"[\[(【〔［¹²³⁴-⁹]|<sup")
_MOST = 20  # a passage's number, where it is not known how many there are
_NOUN = (
    r"(?:sources?|src|doc(?:ument)?s?|passages?|contexts?|chunks?|references?|refs?|citations?|cite"
    r"|excerpts?|snippets?|quellen?|dokumente?|fuentes?|fontes?|fonti|documentos?|bron(?:nen)?"
    r"|źródło|источник|来源|來源|出典|출처)"
)
_FILE = r"[^\s\[\]()|,;]+\.(?:pdf|md|html?|docx?|txt|csv|xlsx?|pptx?|json)\b"
_PAGE = r"(?:p|pp|pages?|s|seite|section|sec|§)\.?\s?\d{1,4}(?:\s?[-–]\s?\d{1,4})?"
_NUMBERS = r"\d{1,3}(?:\s?(?:,|&|;|and)\s?\d{1,3})*"
_SUP = re.compile(rf"<sup[^<>]*>\s*\[?\^?({_NUMBERS})\]?\s*</sup>", re.IGNORECASE)
_RAISED = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[.,;!?)\"”]))([¹²³⁰⁴-⁹]{1,2})(?=[\s.,;:!?)]|$)")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LENTICULAR = re.compile(r"[【〔［]\s*(\d{1,4})?([^【】〔〕［］\n]{0,60})[】〕］]")
_FOOTNOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\](?!:)")
_BRACKET = re.compile(r"\[([^\[\]\n]{1,120})\](?![(\[:])")
_ROUND = re.compile(r"\(([^()\n]{1,120})\)")
_CITED = re.compile(
    rf"(?:{_NOUN}\s*[:.#]?\s*#?|[sdr#])?(?P<n>\d{{1,3}})(?:\s*[:,†|;]\s*(?P<rest>[^\[\]]*))?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})\s?[-–]\s?(\d{1,3})")
_LISTED = re.compile(rf"{_NOUN}\s*(?P<many>{_NUMBERS})", re.IGNORECASE)
_SOURCE = re.compile(
    rf"(?:(?:see|siehe|voir|{_NOUN})\b[\s:.]*)?(?P<file>{_FILE})[^\s,;]*+(?:[\s,;]++(?:{_PAGE}|{_FILE}[^\s,;]*+))*"
    rf"|{_NOUN}\s*:\s*\S.*|{_PAGE}",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:[.,;:!?。！？)\]]|\[\d|\(\d{1,2}\)|$|\n)")
_LINK = re.compile(r"\[\[?\^?(\d{1,4})\]?\](\([^()\s]*\))")
_NUMBER = re.compile(r"(?<=\S)\s{0,3}\((\d{1,2})\)")
_ITEM = re.compile(r"(?:^|\n)[ \t]*$")


def with_markers(text: str, documents: Sequence[str] = ()) -> str:
    """Return a text with each of its citations as a marker [1]; one of an unknown file goes.

    Args:
        documents: The names of the passages that it may cite, in order.
    """
    if not _SIGNS.search(text):
        return text
    if "`" not in text:
        return _marked(text, documents)
    parts = _CODE.split(text)
    return "".join(part if n % 2 else _marked(part, documents) for n, part in enumerate(parts))


def _marked(text: str, documents: Sequence[str]) -> str:
    most = len(documents) or _MOST
    if "<" in text:
        text = _SUP.sub(lambda m: f"[{_spelled(m[1])}]", text)
    if not text.isascii():
        text = _RAISED.sub(lambda m: f"[{m[1].translate(_DIGITS)}]", text)
        text = _LENTICULAR.sub(_of_lenticular, text)
    if "[" in text:
        text = _FOOTNOTE.sub(lambda m: f"[{m[1]}]" if m[1].isdecimal() else "", text)
        text = _numbered(_LINK, text, most)
        text = _BRACKET.sub(lambda m: _of_bracket(m, documents), text)
    if "(" in text:
        text = _ROUND.sub(lambda m: _of_round(m, documents), text)
        text = _numbered(_NUMBER, text, most) if documents else text
    return text


def _of_lenticular(match: re.Match[str]) -> str:
    """Return 【1†source】 as [1]; of 【4:0†source】, which counts messages, nothing."""
    if match[1] is None:
        return match[0] if match[0][0] == "［" else ""
    return "" if match[2].startswith(":") else f"[{match[1]}]"


def _of_bracket(match: re.Match[str], documents: Sequence[str]) -> str:
    inner = match[1].strip()
    if inner.replace(",", "").replace(" ", "").isdecimal():
        return match[0]
    if ends := _RANGE.fullmatch(inner):
        first, last = int(ends[1]), int(ends[2])
        span = range(first, last + 1)
        return f"[{', '.join(map(str, span))}]" if 0 < len(span) <= _MOST else match[0]
    if not inner or inner[0] == "^":
        return match[0]  # an open task, or a footnote with blanks
    return _of_name(inner, documents)


def _of_round(match: re.Match[str], documents: Sequence[str]) -> str:
    inner = match[1].strip()
    bare = inner.isdecimal() or match.string[match.start() - 1 : match.start()] == "]"
    return match[0] if bare or inner[:1].isdigit() else _of_name(inner, documents, match[0])


def _of_name(inner: str, documents: Sequence[str], whole: str = "") -> str:
    """Return what a bracket cites by number or name, the bracket where it cites nothing."""
    whole = whole or f"[{inner}]"
    if many := _LISTED.fullmatch(inner):
        return f"[{_spelled(many['many'])}]"
    if cited := _CITED.fullmatch(inner):
        return f"[{cited['n']}]"
    named = _SOURCE.fullmatch(inner)
    if named is None and inner not in documents:
        return whole
    name = (named and named["file"]) or inner
    places = [n for n, doc in enumerate(documents, start=1) if _is_same(name, doc)]
    return f"[{places[0]}]" if places else ""


def _is_same(name: str, document: str) -> bool:
    name, document = name.lower(), document.lower()
    return name == document or document.partition("#")[0].rpartition("/")[2] == name


def _spelled(numbers: str) -> str:
    return ", ".join(re.findall(r"\d+", numbers))


def _opens_item(text: str, start: int) -> bool:
    return _ITEM.search(text[max(0, start - 40) : start]) is not None


def _numbered(form: re.Pattern[str], text: str, most: int) -> str:
    """Return a text with a form of number as markers, where all at ends of clauses can be ones."""
    ending = [
        match
        for match in form.finditer(text)
        if _ENDS.match(text, match.end()) and not _opens_item(text, match.start())
    ]
    all_cite = all(1 <= int(match[1]) <= most for match in ending)
    citing = {match.start() for match in ending} if all_cite else set[int]()

    def marker(match: re.Match[str]) -> str:
        if match.start() in citing:
            return f"[{match[1]}]" if form is _LINK else f" [{match[1]}]"
        return match[1] if form is _LINK else match[0]

    return form.sub(marker, text)
