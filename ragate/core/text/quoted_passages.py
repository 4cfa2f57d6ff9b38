"""Passages of documents: whether a quote still stands where it stood."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ragate.core.hashing import digest
from ragate.core.text.unicode_forms import normalised
from ragate.models import Evidence

# Marks of Markdown, which come and go when a page is laid out anew: inside a line, and before one.
_INLINE = re.compile(r"[*_`]+")
_LAYOUT = re.compile(r"[#>|]+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


def normalise(text: str) -> str:
    """Return the text as it is compared: case, white space and Markdown's marks do not count."""
    plain = _INLINE.sub("", normalised("NFKC", text).casefold())
    plain = _LAYOUT.sub(" ", plain)
    return " ".join(plain.split())


def passage_hash(text: str) -> str:
    """Return 16 hex digits that stay as they are when only the layout changes."""
    return digest(normalise(text))


def passages(text: str) -> Iterator[str]:
    """Yield the paragraphs of a document: what stands between blank lines."""
    for paragraph in _BLANK_LINES.split(text.replace("\r\n", "\n")):
        if normalise(paragraph):
            yield paragraph.strip()


def holds(text: str, evidence: Evidence) -> bool:
    """Return True where the document still holds the passage.

    A quote may stand anywhere in it; a hash alone has to be that of a paragraph, or of the whole.
    """
    if evidence.quote:
        return normalise(evidence.quote) in _normal(text)
    return evidence.hash in _hashes(text)


# Many samples rest on the same few pages.
_normal = lru_cache(maxsize=64)(normalise)


@lru_cache(maxsize=64)
def _hashes(text: str) -> frozenset[str]:
    return frozenset({passage_hash(text), *map(passage_hash, passages(text))})
