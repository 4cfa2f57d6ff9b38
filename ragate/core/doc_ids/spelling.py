"""Two ids of one document: in which ways they are written differently."""

import re
import unicodedata
from collections.abc import Callable
from enum import StrEnum
from itertools import combinations


class Spelling(StrEnum):
    """What two ids of one document may differ in, as a message says it."""

    UNICODE = "the Unicode form"
    URL = "the form of the URL"
    CHUNK = "the suffix of a chunk"
    CASE = "the capitals"
    EXTENSION = "the ending"
    FOLDER = "the folder"


DEPTH = 12  # folders of an id that are looked at
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})+")
_INDEX = re.compile(r"(^|/)index(\.[A-Za-z]{2,5})?$")
_ENDING = re.compile(
    r"\.(md|mdx|markdown|rst|txt|text|html?|xhtml|pdf|docx?|pptx?|xlsx?|csv|json|jsonl|ya?ml|xml|"
    r"adoc|org|tex|ipynb|php|aspx?|epub|rtf|odt)$",
    re.IGNORECASE,
)
_CHUNK = re.compile(
    r"(#[^/]*|::[^/]*|[\[(]\d+[\])]|[-_:@/. ](chunk|part|node|page|p|split|seg|section)"
    r"[-_:=# ]?\d+|[-_:@/]\d+(-\d+)?|[-_:@/][0-9a-f]{8,32})$",
    re.IGNORECASE,
)


def folded(doc_id: str) -> str:
    """Return an id without all that two spellings may differ in, but for its folders."""
    name = _plain_url(unicodedata.normalize("NFC", doc_id)).casefold()
    return _ENDING.sub("", _without_chunk(name)).strip("/")


def tails(path: str) -> list[str]:
    """Return a folded id and what is left of it without its first folders, longest first."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(max(0, len(parts) - DEPTH), len(parts))]


def differences(expected: str, retrieved: str) -> tuple[Spelling, ...] | None:
    """Return the fewest differences that explain two spellings; None where nothing does.

    Folders differ only where one path ends like the other: ``a/x.md`` and ``b/x.md`` are two
    documents. Chunks of one document differ only where one id has a suffix and the other none.
    """
    if expected == retrieved:
        return ()
    for count in range(1, len(Spelling) + 1):
        for kinds in combinations(Spelling, count):
            if _alike(expected, retrieved, kinds):
                return kinds
    return None


def _alike(expected: str, retrieved: str, kinds: tuple[Spelling, ...]) -> bool:
    for kind in kinds:
        if kind is Spelling.CHUNK:
            expected, retrieved = _suffixed(expected, retrieved)
        elif kind is not Spelling.FOLDER:
            expected, retrieved = _PLAIN[kind](expected), _PLAIN[kind](retrieved)
    if Spelling.FOLDER in kinds and not (_SCHEME.match(expected) or _SCHEME.match(retrieved)):
        return _ends_like(expected, retrieved) or _ends_like(retrieved, expected)
    return expected == retrieved


def _plain_url(doc_id: str) -> str:
    """Return the path of a URL, or of a path as one would be read from a URL."""
    path = doc_id
    if _SCHEME.match(doc_id):
        path = _SCHEME.sub("", doc_id).partition("?")[0]
    path = _ESCAPED.sub(_unescaped, path).replace("\\", "/").removeprefix("./").strip("/")
    return _INDEX.sub("", path) or path


def _unescaped(escaped: re.Match[str]) -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode("utf-8", "replace")


def _without_chunk(doc_id: str) -> str:
    for _ in range(2):  # of a page, and of a part of it
        doc_id = _CHUNK.sub("", doc_id) or doc_id
    return doc_id


def _suffixed(expected: str, retrieved: str) -> tuple[str, str]:
    """Return the two without the suffix of a chunk, where only one of them has any."""
    pair = _without_chunk(expected), _without_chunk(retrieved)
    return pair if (pair[0] == expected) != (pair[1] == retrieved) else (expected, retrieved)


def _ends_like(long: str, short: str) -> bool:
    return bool(short) and f"/{long}".endswith(f"/{short.removeprefix('/')}")


_PLAIN: dict[Spelling, Callable[[str], str]] = {
    Spelling.UNICODE: lambda doc_id: unicodedata.normalize("NFC", doc_id),
    Spelling.URL: _plain_url,
    Spelling.CASE: str.casefold,
    Spelling.EXTENSION: lambda doc_id: _ENDING.sub("", doc_id),
}
