"""The filters of a terminal or a log, and text that is set to its width."""

import click

from ragate.renderers._lines import WIDTH, columns, width, wrapped
from ragate.renderers._words import ForeignText, Words
from ragate.support.escape import one_line, plain

COMMAND = "  -> "


class Page:
    """Foreign text made harmless, colours where they are wanted, lines of a terminal's width."""

    def __init__(self, *, colour: bool, ci: bool) -> None:
        self._colour = colour
        self._ci = ci

    def foreign(self, text: str, limit: int = WIDTH) -> str:
        return plain(one_line(text, limit), ci=self._ci)

    def words(self, words: Words, limit: int = WIDTH) -> str:
        return "".join(self.foreign(w, limit) if isinstance(w, ForeignText) else w for w in words)

    def sentence(self, words: Words, *, first: str = "", rest: str = "  ") -> list[str]:
        """Return the words in lines."""
        return wrapped(self.words(words, 300), first=first, rest=rest)

    def paint(self, text: str, colour: str, *, bold: bool = False) -> str:
        if not self._colour or not (colour or bold):
            return text
        return click.style(text, fg=colour or None, bold=bold or None)


def padded(text: str, width: int, *, right: bool) -> str:
    """Fill `text` with spaces up to `width` columns."""
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def at_most(lines: list[str], most: int) -> list[str]:
    """Return the first lines; a cut is marked by an ellipsis."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while columns(last) > width() - 2 and " " in last.strip():
        last = last.rpartition(" ")[0]
    return [*lines[: most - 1], f"{last} …"]


def command(text: str) -> str:
    """Return what to type, in one line whatever its length: so it can be copied."""
    return COMMAND + text
