"""Answers as people see them: the text of Markdown without its marks.

A small reader instead of a parser: it takes a tenth of the time, and what it leaves is held against
a parser by tests. Every function takes time linear in the length of its text, hostile or not.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.languages import is_negation
from ragate.core.text.sentences import code_and_prose

_MARKED = re.compile(r"[*_`#>|~\\\[<&]|^[ \t]*(?:[-+•=]|\d{1,3}[.)])", re.MULTILINE)
_QUOTE = re.compile(r"[ \t]{0,3}>(?>(?:[ \t]?>)*)[ \t]?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#++[ \t]*$")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=++|-++)[ \t]*")
_RULE = re.compile(r"[ \t]{0,3}([-*_])(?>(?:[ \t]*\1){2,})[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(\d{1,3})[.)])[ \t]+(?=\S)")
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_DEFINITION = re.compile(r"[ \t]{0,3}\[([^\[\]\n]+)\]:[ \t]*\S+(?:[ \t]+[\"'(][^\n]*)?[ \t]*")
_BOLD_LINE = re.compile(r"(\*\*|__)([^*_\n]+)\1:?")
_CELL_END = re.compile(r"(?<!\\)\|")
_CELL_RULE = re.compile(r":?-+:?")
_TEXT_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*+((?:markdown|md)?)(?:te?xt|plain)?[ \t]*")
_CODE_SIGN = re.compile(r"[{}=;\\<>$]|\w\(|^[ \t]*#", re.MULTILINE)
_LONG_CELL = 5  # words: a cell of as many says something by itself
_LABEL = 4  # words: a heading of no more only names what follows
_CLAIMING = re.compile(r"[.!?,;。！？]|\d")
_AGREEING = frozenset(
    {"yes", "ja", "oui", "sí", "sì", "sim", "tak", "да", "evet", "はい", "是", "예", "네"}
)

_CODE_SPAN = re.compile(r"``[^`]{1,80}``|`[^`]{1,80}`")  # what is longer may hold sentences
_INLINE = re.compile(r"[*_~\\\[<&]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_DESTINATION = (
    r"\([ \t]*+(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]++(?:\"[^\"]*\"|'[^']*'))?[ \t]*+\)"
)
_LINK = re.compile(rf"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]{_DESTINATION}")
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]*)\]")
_CITATION = re.compile(r"\[?\d{1,4}(?:\s?,\s?\d{1,4})*\]?")
_MARKERS = re.compile(r"(?>(?:\[\d{1,4}(?:\s?,\s?\d{1,4})*\]\s*)+)")
_ADDRESS = re.compile(r"<([a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>")
_TAG = re.compile(
    r"</?(?:(?P<parts>br|p|div|li|ul|ol|tr|td|th|hr|h[1-6])"
    r"|a|b|i|u|s|em|strong|del|ins|mark|sub|sup|small|span|code|kbd)\b[^<>]*>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_EMPHASIS = re.compile(r"\*+|_+|~~+")
# Signs that are escaped or in code wait among the private characters until all marks are gone.
_HIDDEN = {code: 0xF0000 + code for code in range(0x21, 0x7F) if not chr(code).isalnum()}
_SHOWN = {hidden: code for code, hidden in _HIDDEN.items()}


class TextBlock(NamedTuple):
    """A paragraph, item, heading, cell or row of a text.

    Attributes:
        is_label: It names what follows and claims nothing.
    """

    text: str
    is_label: bool = False


@lru_cache(maxsize=1_024)  # every metric of answers reads the same ones
def readable(text: str) -> str:
    """Return what Markdown shows: each block a paragraph, without emphasis, links and list marks.

    Short cells of a table stay together as a row, `| a | b |`; longer ones are paragraphs. Code
    keeps its fences and backticks. Short headings before something else, and the head of a table,
    are left out: they claim nothing. A text without any mark is returned as it is.
    """
    if not _MARKED.search(text):
        return text
    found = list(_blocks(text))
    last = max((n for n, block in enumerate(found) if not block.is_label), default=-1)
    kept = [b.text for n, b in enumerate(found) if b.text and not (b.is_label and n < last)]
    return "\n\n".join(kept)


def _blocks(text: str) -> Iterator[TextBlock]:
    for is_code, part in code_and_prose(_unquoted(text) if ">" in text else text):
        if not is_code:
            yield from _of_lines(part.split("\n"))
            continue
        first, *inner = part.strip().split("\n")
        fence = _TEXT_FENCE.fullmatch(first)
        if fence and (fence[1] or not _CODE_SIGN.search("\n".join(inner[:-1]))):
            yield from _of_lines(inner[:-1])
            yield TextBlock(inner[-1].strip("`~ \t"))
        else:
            yield TextBlock(part.strip())


def _unquoted(text: str) -> str:
    """Return a text without the marks of quotations, each of which begins a block."""
    lines: list[str] = []
    was_quoted = False
    for line in text.split("\n"):
        mark = _QUOTE.match(line)
        if mark and not was_quoted:
            lines.append("")
        lines.append(line[mark.end() :] if mark else line)
        was_quoted = mark is not None
    return "\n".join(lines)


def _of_lines(lines: Sequence[str]) -> Iterator[TextBlock]:
    """Yield the blocks of lines outside of code."""
    labels = frozenset(match[1].lower() for line in lines if (match := _DEFINITION.fullmatch(line)))
    paragraph: list[str] = []
    item = 0
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if _ends_paragraph(line, paragraph):
            yield from _paragraph(paragraph, labels, is_heading=_is_underline(line, paragraph))
            paragraph = []
            continue
        rest, opened = _without_item_marks(line, item)
        heading, end = _HEADING.match(rest), _table_end(lines, number - 1, rest)
        if opened is not None or heading or end:
            yield from _paragraph(paragraph, labels)
            paragraph, item = [], item if opened is None else opened
        if heading:
            shown = _CLOSING_HASHES.sub("", rest[heading.end() :])
            yield from _paragraph([shown], labels, is_heading=True)
        elif end:
            yield from _table([rest, *lines[number:end]], labels)
            number = end
        else:
            paragraph.append(rest)
    yield from _paragraph(paragraph, labels)


def _ends_paragraph(line: str, paragraph: Sequence[str]) -> bool:
    """Tell whether a line is blank, a rule, an underline or the address of a link."""
    if not line.strip() or _RULE.fullmatch(line) or _is_underline(line, paragraph):
        return True
    return not paragraph and bool(_DEFINITION.fullmatch(line))


def _is_underline(line: str, paragraph: Sequence[str]) -> bool:
    return bool(paragraph) and bool(_UNDERLINE.fullmatch(line)) and bool(line.strip())


def _without_item_marks(line: str, item: int) -> tuple[str, int | None]:
    """Return a line without the marks of the list items that it opens, and the last one's number.

    "30. Then" opens none where no item 29 came before: it is what a sentence ends with.

    Args:
        item: The number of the item before, 0 where it has none.
    """
    start, opened = 0, None
    while match := _ITEM.match(line, start):
        if match[1] and int(match[1]) not in {0, 1, item + 1}:
            break
        start, opened = match.end(), int(match[1] or item)
    if start and (task := _TASK.match(line, start)):
        start = task.end()
    return line[start:], opened


def _paragraph(
    lines: Sequence[str], labels: frozenset[str], *, is_heading: bool = False
) -> Iterator[TextBlock]:
    raw = " ".join(map(str.strip, lines))
    if not raw:
        return
    is_heading = is_heading or bool(_BOLD_LINE.fullmatch(raw))
    text = _without_marks(raw, labels).strip()
    yield TextBlock(text, is_heading and _is_label(text))


def _is_label(text: str) -> bool:
    """Tell whether a heading only names what follows.

    Four words at most, none that agrees or negates, no figure, no sign of a sentence, and no
    capital that would tell a name from a title's words.
    """
    words = [word for word in text.split() if word[:1].isalpha()]
    if len(words) > _LABEL or _CLAIMING.search(text) or any(map(_decides, words)):
        return False
    capitals = [word[0].isupper() for word in words[1:] if len(word) > 3]
    return all(capitals) or not any(capitals)


def _decides(word: str) -> bool:
    plain = word.strip(":*_'\"").lower()
    return plain in _AGREEING or is_negation(plain or word)


def _table_end(lines: Sequence[str], start: int, first: str) -> int:
    """Return the number of the line behind a table that begins at a line, 0 where none does."""
    if "|" not in first:
        return 0
    is_row = first.strip().startswith("|") and first.strip().endswith("|")
    ruled = start + 1 < len(lines) and _is_cell_rule(lines[start + 1])
    if not (ruled or is_row):
        return 0
    end = start + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end


def _is_cell_rule(line: str) -> bool:
    return "-" in line and all(map(_CELL_RULE.fullmatch, _cells(line)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_END.split(line.strip().removeprefix("|"))][
        : -1 if line.rstrip().endswith("|") else None
    ]


def _table(lines: Sequence[str], labels: frozenset[str]) -> Iterator[TextBlock]:
    """Yield the cells of a table: long ones by themselves, the short ones of a row together."""
    has_head = len(lines) > 1 and _is_cell_rule(lines[1])
    for place, line in enumerate(lines):
        if _is_cell_rule(line):
            continue
        cells = [_without_marks(cell, labels).strip() for cell in _cells(line)]
        if has_head and place == 0:
            yield from (TextBlock(cell, _is_label(cell)) for cell in cells if cell)
            continue
        if cells and cells[0].rstrip(".)") == str(place - 1 if has_head else place + 1):
            del cells[0]  # it only numbers the rows
        cited: list[str] = []
        for cell in cells:
            if cited and _MARKERS.fullmatch(cell):  # it cites for the cell before
                cited[-1] += f" {cell}"
            else:
                cited.append(cell)
        short = [cell for cell in cited if cell and len(cell.split()) < _LONG_CELL]
        if short:
            yield TextBlock(f"| {' | '.join(short)} |")
        yield from (TextBlock(cell) for cell in cited if len(cell.split()) >= _LONG_CELL)


def _without_marks(text: str, labels: frozenset[str]) -> str:
    """Return the text of one block without the marks inside of it."""
    if not _INLINE.search(text):
        return text
    text = _CODE_SPAN.sub(lambda match: match[0].translate(_HIDDEN), text)
    text = _ESCAPED.sub(lambda match: match[1].translate(_HIDDEN), text)
    for _ in range(2):  # an image may stand in a link
        if "](" in text:
            text = _LINK.sub(_link_text, text)
    if labels:
        text = _REFERENCE.sub(
            lambda m: m[1] if (m[2] or m[1]).lower() in labels and not m[2].isdigit() else m[0],
            text,
        )
    if "<" in text:
        text = _TAG.sub(lambda match: " " if match["parts"] else "", _ADDRESS.sub(r"\1", text))
    text = _EMPHASIS.sub(_emphasis, text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    return text.translate(_SHOWN)


def _link_text(match: re.Match[str]) -> str:
    """Return the text of a link; a number in it cites, and keeps its brackets."""
    inner = match[1]
    return f"[{inner.strip('[]')}]" if _CITATION.fullmatch(inner) else inner


def _emphasis(match: re.Match[str]) -> str:
    """Return nothing for a mark of emphasis, a sign between blanks or in a word as it is."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else " "
    after = match.string[match.end() : match.end() + 1] or " "
    if before.isspace() and after.isspace():
        return match[0]
    inside = before.isalnum() and after.isalnum()
    if not inside or (match[0][0] == "*" and _is_emphasis_inside(match[0], before, after)):
        return ""
    return "" if match[0][0] == "~" else match[0]


def _is_emphasis_inside(mark: str, before: str, after: str) -> bool:
    """Tell **Bo**ld, and any mark beside a script without blanks, from 2*3 and a*b."""
    if before.isdigit() or after.isdigit():
        return False
    return len(mark) > 1 or max(before, after) > "\u2e80"
