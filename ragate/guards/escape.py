"""The filters for text that a model, a corpus or a pull request wrote: one for each sink.

Only these functions make foreign text printable; docs/decisions/0020-untrusted-text.md says why.
"""

import html
import re
import unicodedata

REPLACEMENT = "\ufffd"

# Controls, formats (bidi, zero width, tags), surrogates, private use, unassigned, separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Zero-width joiners shape Persian, Indic scripts and emoji, and cannot break or reorder a line.
_JOINERS = frozenset("\u200c\u200d")
# The grammar of ECMA-48: control strings (titles, links, clipboard), control sequences, escapes.
_ANSI = re.compile(
    r"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]"
)
_SPACE = re.compile(r"\s+")
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# What is not ASCII may be nothing to a search that goes by a culture's rules.
_BRACKET = re.compile(r"(#[^\x00-\x7f]*#[^\x00-\x7f]*)\[")
_COLONS = re.compile(r":([^\x00-\x7f]*)(?=:)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*(?:@[0-9]{1,4})?")
_LONGEST_NAME = 60
_SHA = re.compile(r"[0-9a-f]{7,64}")


_LONG_WORD = 15  # characters; what is longer is an id, an address, or written without blanks


def one_line(text: str, limit: int = 300) -> str:
    """Return `text` on one line of at most `limit` characters, without a hidden character.

    White space collapses to single spaces, escape sequences go, and what else controls, hides or
    reorders text becomes U+FFFD. A cut is marked by an ellipsis, which counts.
    """
    if (
        len(text) <= limit
        and text.isascii()
        and text.isprintable()
        and not (text[:1] == " " or text[-1:] == " " or "  " in text)
    ):
        return text  # nearly all of ten thousand lines
    head = text[: 8 * limit + 1000]  # the rest of a huge answer would be read for nothing
    line = _SPACE.sub(" ", _ANSI.sub("", head)).strip()
    shown = "".join(map(_visible, line[: limit + 1]))
    if len(shown) <= limit and len(head) == len(text):
        return shown
    return _at_a_word(shown, limit - 1) + "…"


def _at_a_word(text: str, limit: int) -> str:
    """Cut `text` between two words where one ends near the limit, else in the middle of one."""
    kept = text[:limit]
    head, space, tail = kept.rpartition(" ")
    whole = text[limit : limit + 1] in ("", " ") or not space or len(tail) > _LONG_WORD
    return kept.rstrip() if whole else head.rstrip()


def code(text: str, limit: int = 120) -> str:
    """Return `text` as ``<code>…</code>`` on one line, for use inside a raw HTML block only.

    A Markdown parser leaves a raw HTML block alone, and GitHub makes no mention, reference, link or
    emoji inside ``<code>``. Outside of such a block neither holds.
    """
    return f"<code>{html.escape(one_line(text, limit), quote=True)}</code>"


def name(text: str) -> str:
    """Return a metric's or a gate's name bare where it is a plain identifier, else as `code`.

    A plain identifier has no dot, slash, colon or leading ``@``, so that no service makes a link,
    mention or reference of it.
    """
    if len(text) <= _LONGEST_NAME and _NAME.fullmatch(text):
        return text
    return code(text, _LONGEST_NAME)


def sendable(text: str) -> str:
    """Return text that can be sent or written as UTF-8: half of a character becomes a ``?``."""
    return text.encode("utf-8", "replace").decode()


def short_sha(text: str) -> str:
    """Return the first seven digits of a commit, "" where `text` is no commit."""
    return text[:7] if _SHA.fullmatch(text) else ""


def plain(text: str, *, ci: bool = True) -> str:
    """Return `text` for a terminal or a log; line feeds stay.

    Escape sequences are removed, every other hidden character becomes U+FFFD, and a carriage return
    is a line feed, since a log takes it for one.

    Args:
        ci: The log is read by a workflow runner: ``##[`` and ``::`` can then start a command and
            are broken by a space.
    """
    lines = _LINE_END.sub("\n", _ANSI.sub("", text)).split("\n")
    shown = "\n".join("".join(map(_visible, line.replace("\t", "    "))) for line in lines)
    if not ci:
        return shown
    return _COLONS.sub(r":\1 ", _BRACKET.sub(r"\1 [", shown))


def _visible(char: str) -> str:
    if " " <= char <= "~":
        return char
    if unicodedata.category(char) in _HIDDEN and char not in _JOINERS:
        return REPLACEMENT
    return char
