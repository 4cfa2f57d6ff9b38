"""Answers as people see them: the text of Markdown without its marks.

A small reader instead of a parser: it takes a tenth of the time, and what it leaves is held against
a parser by tests. Every function takes time linear in the length of its text, hostile or not.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from ragate.core.text.citations import with_markers
from ragate.core.text.discourse import TALK
from ragate.core.text.html_blocks import with_blocks
from ragate.core.text.languages import FUNCTION_WORDS, is_negation
from ragate.core.text.sentences import code_and_prose

_MARKED = re.compile(
    r"[*_`#>|~\\\[<&{(\u20e3【〔［¹²³⁰⁴-⁹]"
    r"|\n[^:：.!?\n]{1,60}(?:[:：]| [–—→])\s"
    r"|^[ \t]*(?:[-+•=:!?]|\d{1,3}[.)]|[^\W\d_]+ \d{1,2} ?[:)–—-])",
    re.MULTILINE,
)
_QUOTE = re.compile(r"[ \t]{0,3}>(?>(?:[ \t]?>)*)[ \t]?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#++[ \t]*$")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=++|-++)[ \t]*")
_RULE = re.compile(r"[ \t]{0,3}([-*_])(?>(?:[ \t]*\1){2,})[ \t]*")
# An item's mark, or that of a step in a series: "**2.** ", "(2) ", "**Step 2:** ".
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•]|(?:\*\*|__)?(?:\(?(?P<n>\d{1,3})(?:[.)]|\ufe0f?\u20e3)"
    r"|[^\W\d_]+ (?P<step>\d{1,2})(?: ?[:)]| [-–—]))(?:\*\*|__)?)[ \t]+(?=\S)"
)
_OPENS = re.compile(
    r"[ \t]{0,3}(?:\[\^[^\[\]\n]+\]:|:[ \t])[ \t]*(?=\S)"
)  # a footnote, a definition
_PAGE = re.compile(
    r",?\s{0,3}\b(?:p|pp|pages?|section|sec|chapter|seite|kapitel)\b\.? ?\d{1,4}\.?\s{0,3}$", re.I
)
_ADMONITION = re.compile(
    r"[ \t]*(?:\[!\w+\][+-]?|(?:!!!|\?{3})\+?[ \t]++\w++|:::++[ \t]*+\w*+)[ \t]*+\"?([^\"\n]*)\"?"
)
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_DEFINITION = re.compile(
    r"[ \t]{0,3}\[([^\^\[\]\n][^\[\]\n]*)\]:[ \t]*\S+(?:[ \t]+[\"'(][^\n]*)?[ \t]*"
)
_BOLD_LINE = re.compile(r"(\*\*|__)([^*_\n]+)\1:?")
_LABELLED = re.compile(r"[^\w\n]{0,6}[^\W_][^:：.!?|\n]{0,60}?(?:[:：][*_]{0,3}| [–—→])(?=\s+\S)")
_LONGEST_NAME = 6  # words of what names a value
_CELL_END = re.compile(r"(?<!\\)\|")
_CELL_RULE = re.compile(r":?-+:?")
_JSON_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*+(?:json5?)?[ \t]*+", re.IGNORECASE)
_TEXT_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*+((?:markdown|md)?)(?:te?xt|plain)?[ \t]*")
_FENCE_NAME = re.compile(r"(?<=^```)\w+|(?<=^~~~)\w+")  # of the language, which is not said
_CODE_SIGN = re.compile(r"[{}=;\\<>$]|\w\(|^[ \t]*#", re.MULTILINE)
_LONG_CELL = 5  # words: a cell of as many says something by itself
_LABEL = 4  # words: a heading of no more only names what follows, as does one of words of talk
_TALK = 0.5  # of the words of such a heading
_CLAIMING = re.compile(r"[.!?,;。！？]|\d")
_FIGURE = re.compile(r"\d")
_SAYS = re.compile(r"[.!?。！？](?:\W|\[\d{1,4}\])*$")
_WITH_FIGURE = re.compile(r"(?<!\S)\S*\d\S*")  # once a word: no text takes long
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
        is_label: It names what follows: it claims nothing, but may hold a name.
        figures: The same with what its numbers stand under, such as the head of a table.
    """

    text: str
    is_label: bool = False
    figures: str = ""


def blocks(text: str, documents: tuple[str, ...] = ()) -> tuple[TextBlock, ...]:
    """Return the blocks that a text shows: Markdown, HTML or an object of JSON, without marks.

    Each citation is a marker [1]. Short cells of a table stay together as a row, `| a | b |`;
    longer ones are paragraphs. Code keeps its fences and backticks.

    Args:
        documents: The names of the passages that it may cite, in order.
    """
    if not _MARKED.search(text):
        return (TextBlock(text),)
    found = [block for block in _blocks(with_markers(text, documents)) if block.text]
    last = max((n for n, block in enumerate(found) if not block.is_label), default=-1)
    shown = (b if n < last else b._replace(is_label=False) for n, b in enumerate(found))
    return tuple(_under_labels(shown))


def _under_labels(found: Iterable[TextBlock]) -> Iterator[TextBlock]:
    """Yield blocks, a figure by itself with what it stands under: a heading, a term, an item."""
    over = ""
    for block in found:
        if is_labelled(block.text):
            yield block
            continue
        is_figure = bool(_FIGURE.search(block.text)) and len(block.text.split()) < _LONG_CELL
        if not is_figure:
            over = "" if _SAYS.search(block.text) else _WITH_FIGURE.sub("", block.text)
        elif over and not block.figures:
            block = block._replace(figures=f"{over}: {block.text}")
        yield block


def readable(text: str) -> str:
    """Return what Markdown shows, a paragraph for each block; labels, which claim nothing, are out.

    A text without any mark is returned as it is.
    """
    return "\n\n".join(block.text for block in blocks(text) if not block.is_label)


def _blocks(text: str) -> Iterator[TextBlock]:
    if (held := _of_json(text)) is not None:
        yield from held
        return
    for is_code, part in code_and_prose(_unquoted(text) if ">" in text else text):
        if not is_code:
            yield from _of_lines((with_blocks(part) if "<" in part else part).split("\n"))
            continue
        first, *inner = part.strip().split("\n")
        fence = _TEXT_FENCE.fullmatch(first)
        held = _of_json("\n".join(inner[:-1])) if _JSON_FENCE.fullmatch(first) else None
        if held is not None:
            yield from held
        elif fence and (fence[1] or not _CODE_SIGN.search("\n".join(inner[:-1]))):
            yield from _of_lines(inner[:-1])
            yield TextBlock(inner[-1].strip("`~ \t"))
        else:
            yield TextBlock(_FENCE_NAME.sub("", part.strip()))


def _of_json(text: str) -> list[TextBlock] | None:
    """Return what an object or a list says: each text, and each number with its key."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        waiting: list[tuple[str, object]] = [("", json.loads(text))]
    except (ValueError, RecursionError):
        return None
    found: list[TextBlock] = []
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(name), inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in reversed(value)]
        elif isinstance(value, str):
            shown = _without_marks(value, frozenset()).strip()
            found.append(TextBlock(shown, figures=f"{_spaced(key)}: {shown}"))
        elif value is not None and not isinstance(value, bool):
            found.append(TextBlock(f"{_spaced(key)}: {value}"))
    return found


def _spaced(key: str) -> str:
    """Return a key as words: roomCount and room_count are two."""
    return re.sub(r"[_-]+|(?<=[a-z])(?=[A-Z])", " ", key).lower()


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
        if told := _ADMONITION.fullmatch(line):
            yield from _paragraph(paragraph, labels)
            paragraph = []
            yield TextBlock(told[1].strip(), is_label=True)
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
    """Return a line without the marks of what it opens, and the number of the last item.

    Items of lists, steps of a series, a footnote and a definition open something.

    "30. Then" opens none where no item 29 came before: it is what a sentence ends with.

    Args:
        item: The number of the item before, 0 where it has none.
    """
    if match := _OPENS.match(line):
        return _PAGE.sub("", line[match.end() :]), item
    start, opened = 0, None
    while match := _ITEM.match(line, start):
        number = match["n"] or match["step"]
        if number and int(number) not in {0, 1, item + 1}:
            break
        start, opened = match.end(), int(number or item)
    if start and (task := _TASK.match(line, start)):
        start = task.end()
    return line[start:], opened


def _paragraph(
    lines: Sequence[str], labels: frozenset[str], *, is_heading: bool = False
) -> Iterator[TextBlock]:
    for raw in _parted(lines):
        is_heading = is_heading or bool(_BOLD_LINE.fullmatch(raw))
        text = _without_marks(raw, labels).strip()
        yield TextBlock(text, is_heading and _is_label(text))


def _parted(lines: Sequence[str]) -> list[str]:
    """Return the lines of a paragraph as one; "Price: 5 euros" beside other such lines alone."""
    labelled = [*map(is_labelled, lines), False]
    parts: list[str] = []
    for place, line in enumerate(map(str.strip, lines)):
        opens = labelled[place] and (labelled[place - 1] or labelled[place + 1])
        if parts and not (opens or (labelled[place] and parts[-1].endswith(":"))):
            parts[-1] += f" {line}"
        elif line:
            parts.append(line)
    return parts


def is_labelled(line: str) -> bool:
    """Tell a line such as "Price: 5 euros", whose few first words name a value."""
    label = _LABELLED.match(line)
    return label is not None and len(label[0].split()) <= _LONGEST_NAME


def _is_label(text: str) -> bool:
    """Tell whether a heading only names what follows.

    Four words at most, or half of them of talk; none that agrees or negates, no figure, no sign of
    a sentence.
    """
    words = [word for word in text.split() if word[:1].isalpha()]
    if _CLAIMING.search(text) or any(map(_decides, words)):
        return False
    content = [word for word in map(str.lower, words) if word not in FUNCTION_WORDS]
    talk = sum(word in TALK for word in content)
    return len(words) <= _LABEL or talk >= _TALK * len(content)


def _is_word(cell: str) -> bool:
    return " " not in cell and not _FIGURE.search(cell)


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
    head: list[str] = []
    for place, line in enumerate(lines):
        if _is_cell_rule(line):
            continue
        cells = [_without_marks(cell, labels).strip() for cell in _cells(line)]
        if has_head and place == 0:
            head = cells
            yield from (
                TextBlock(cell, _is_word(cell) or _is_label(cell)) for cell in cells if cell
            )
            continue
        row = str(place - 1 if has_head else place + 1)
        is_number = bool(cells) and cells[0].rstrip(".)") == row
        yield from _row(cells[is_number:], head[is_number:])  # it only numbers the rows


def _row(cells: Sequence[str], head: Sequence[str]) -> Iterator[TextBlock]:
    """Yield the cells of a row: long ones by themselves, the short ones together.

    A figure stands under the head of its column, and beside the first cell of its row.
    """
    first = _WITH_FIGURE.sub("", cells[0]).strip(": ") if cells else ""
    cited: list[str] = []
    under: list[str] = []
    for cell, name in zip_longest(cells, head[: len(cells)], fillvalue=""):
        if cited and _MARKERS.fullmatch(cell):  # it cites for the cell before
            cited[-1] += f" {cell}"
        else:
            cited.append(cell)
            label = f"{first} {name}".strip() if under and _FIGURE.search(cell) else name
            under.append(f"{label}: {cell}" if label and cell else cell)
    short = [place for place, cell in enumerate(cited) if cell and len(cell.split()) < _LONG_CELL]
    if short:
        shown, figures = (" | ".join(each[n] for n in short) for each in (cited, under))
        yield TextBlock(f"| {shown} |", figures=f"| {figures} |")
    yield from (TextBlock(cell) for cell in cited if len(cell.split()) >= _LONG_CELL)


def _without_marks(text: str, labels: frozenset[str]) -> str:
    """Return the text of one block without the marks inside of it."""
    if not _INLINE.search(text):
        return text
    text = _CODE_SPAN.sub(lambda match: match[0].translate(_HIDDEN), text)
    text = _ESCAPED.sub(lambda match: match[1].translate(_HIDDEN), text)
    for _ in range(2):  # an image may stand in a link
        if "](" in text:
            text = _LINK.sub(r"\1", text)
    if labels:
        text = _REFERENCE.sub(partial(_referring, labels=labels), text)
    if "<" in text:
        text = _TAG.sub(lambda match: " " if match["parts"] else "", _ADDRESS.sub(r"\1", text))
    text = _EMPHASIS.sub(_emphasis, text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    return text.translate(_SHOWN)


def _referring(match: re.Match[str], *, labels: frozenset[str]) -> str:
    """Return the words of ``[words][label]`` where the label has an address; a citation stays."""
    words, label = match.groups()
    refers = (label or words).lower() in labels and not label.isdigit()
    return words if refers else match[0]


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
