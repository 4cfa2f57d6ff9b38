"""Text in lines of a terminal's width."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ragate.guards.escape import plain

WIDTH = 80  # of a file, a log, and a terminal that does not tell its own
NARROWEST, WIDEST = 60, 120
INDENT = "  "
_columns: ContextVar[int] = ContextVar("columns", default=WIDTH)
_WIDE = r"\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60"
_PIECE = re.compile(f"[{_WIDE}]|[^{_WIDE}]+")


@contextmanager
def as_wide_as(terminal: int) -> Iterator[None]:
    """Set text to a terminal's width, within what can be read; 0 is a terminal that tells none."""
    token = _columns.set(min(max(terminal or WIDTH, NARROWEST), WIDEST))
    try:
        yield
    finally:
        _columns.reset(token)


def width() -> int:
    """Return how many columns a line may have now."""
    return _columns.get()


def wrapped(text: str, *, first: str = "", rest: str = "  ") -> list[str]:
    """Break `text` between words into lines of at most `width()` columns.

    A word that is longer keeps a line of its own, since a cut name or command cannot be copied;
    between wide characters (Chinese, Japanese) a line may break anywhere.

    Args:
        first, rest: What the first line, and each further one, begins with.
    """
    lines, line, filled = [], first, False
    for space, word in _pieces(text):
        if filled and columns(line) + columns(space + word) > width():
            lines.append(line)
            line, filled, space = rest, False, ""
        line += (space if filled else "") + word
        filled = True
    return [*lines, line] if filled else lines


def indented(text: str, start: str = INDENT) -> list[str]:
    """Return foreign text in lines of at most `width()` columns, indented: none poses as ours."""
    return [
        row
        for line in plain(text, ci=False).splitlines() or [""]
        for row in wrapped(line, first=start, rest=start) or [start]
    ]


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
