"""Passages of documents, and how two of them are compared."""

import re
from collections.abc import Iterator

from ragate.core.text.unicode_forms import normalised

# Marks of Markdown, which come and go when a page is laid out anew: inside a line, and before one.
_INLINE = re.compile(r"[*_`]+")
_LAYOUT = re.compile(r"[#>|]+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


def normalise(text: str) -> str:
    """Return the text as it is compared: case, white space and Markdown's marks do not count."""
    plain = _INLINE.sub("", normalised("NFKC", text).casefold())
    plain = _LAYOUT.sub(" ", plain)
    return " ".join(plain.split())


def passages(text: str) -> Iterator[str]:
    """Yield the paragraphs of a document: what stands between blank lines."""
    for paragraph in _BLANK_LINES.split(text.replace("\r\n", "\n")):
        if normalise(paragraph):
            yield paragraph.strip()
