"""The filters of a terminal or a log, and text that is set to its width."""

import re
import unicodedata
from collections.abc import Sequence

import click

from ragate.renderers._words import ForeignText, Words
from ragate.support.escape import one_line, plain

WIDTH = 80
COMMAND = "  -> "
_WIDE = r"\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60"
_PIECE = re.compile(f"[{_WIDE}]|[^{_WIDE}]+")


class Page:
    """Foreign text made harmless, colours where they are wanted, lines of at most 80 columns."""

    def __init__(self, *, colour: bool, ci: bool) -> None:
        self._colour = colour
        self._ci = ci

    def foreign(self, text: str, limit: int = WIDTH) -> str:
        return plain(one_line(text, limit), ci=self._ci)

    def words(self, words: Words, limit: int = WIDTH) -> str:
        return "".join(self.foreign(w, limit) if isinstance(w, ForeignText) else w for w in words)

    def paint(self, text: str, colour: str, *, bold: bool = False) -> str:
        if not self._colour or not (colour or bold):
            return text
        return click.style(text, fg=colour or None, bold=bold or None)


def wrapped(text: str, *, first: str = "", rest: str = "  ", width: int = WIDTH) -> list[str]:
    """Break `text` between words into lines of at most `width` columns.

    A word that is longer keeps a line of its own, since a cut name or command cannot be copied;
    between wide characters (Chinese, Japanese) a line may break anywhere.

    Args:
        first, rest: What the first line, and each further one, begins with.
    """
    lines, line, filled = [], first, False
    for space, word in _pieces(text):
        if filled and columns(line) + columns(space + word) > width:
            lines.append(line)
            line, filled, space = rest, False, ""
        line += (space if filled else "") + word
        filled = True
    return [*lines, line] if filled else lines


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return each word with the space before it; a wide character is a word of its own.

    A dot that divides is no word: no line ends with it.
    """
    pieces = []
    for match in re.finditer(r"(\s*)((?:· )?\S+)", text):
        space, word = match.groups()
        for piece in _PIECE.findall(word):
            pieces.append((space, piece))
            space = ""
    return pieces


def columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill `text` with spaces up to `width` columns."""
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def at_most(lines: list[str], most: int) -> list[str]:
    """Return the first lines; a cut is marked by an ellipsis."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{lines[most - 1]} …"]


def command(text: str) -> str:
    """Return what to type, in one line whatever its length: so it can be copied."""
    return COMMAND + text


def bullets(items: Sequence[str], *, mark: str = "  - ") -> list[str]:
    """Return each item as wrapped lines behind a mark."""
    return [line for item in items for line in wrapped(item, first=mark, rest=" " * len(mark))]
