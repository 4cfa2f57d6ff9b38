"""Reading text without a model: words and citation markers.

Every function takes time linear in the length of its text, hostile or not.
"""

import re
import unicodedata
from collections.abc import Sequence

from ragate.core.text.segmentation import level, spaced_out
from ragate.core.text.unicode_forms import normalised

# Scripts written without spaces between words: there, every character is a token of its own.
# Thai, Lao, Burmese, Khmer, Japanese and Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


class _Words(dict[int, str]):
    """A table for str.translate: letters, marks and digits stay, all else becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        word = unicodedata.category(char)[0] in "LMN"
        self[code] = f" {char} " if word and _UNSPACED.match(char) else char if word else " "
        return self[code]


class _Unpunctuated(dict[int, "str | None"]):
    """A table for str.translate: punctuation goes, all else stays.

    SQuAD drops the ASCII punctuation, symbols such as $ and + included; here the rest of Unicode's
    punctuation goes too, so that a curly quotation mark counts like a straight one.
    """

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        ascii_sign = code < 128 and not char.isalnum() and char.isprintable() and char != " "
        if ascii_sign or unicodedata.category(char)[0] == "P":
            self[code] = None
        else:
            self[code] = char
        return self[code]


_WORDS = _Words()
_UNPUNCTUATED = _Unpunctuated()
_ARTICLES = frozenset({"a", "an", "the"})
_FOREIGN = re.compile(r"[^\x00-\x7f]++")


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else normalised("NFC", text).lower()


def tokens(text: str) -> list[str]:
    """Return the lower-cased words and numbers of a text, in order: the analyser of an index.

    Punctuation and symbols separate; in scripts without spaces every character is a token. Metrics
    compare the words of `ragate.core.text.segmentation`.
    """
    lowered = _lower(text)
    if not lowered.isascii():
        # Often only quotation marks and dashes: without them, the next step has a faster path.
        lowered = _FOREIGN.sub(lambda match: match[0].translate(_WORDS), lowered)
    return lowered.translate(_WORDS).split()


def squad_tokens(text: str) -> list[str]:
    """Return the tokens of SQuAD's normalisation: lower case, no punctuation, no English articles.

    Three deviations: punctuation means all of Unicode's; characters of Korean and of scripts
    without spaces are tokens; and a text that holds nothing else ("A", "?") keeps its pieces, so
    that it can still be told from another one.
    """
    lowered = level(text)
    words = spaced_out(lowered.translate(_UNPUNCTUATED)).split()
    return (
        [word for word in words if word not in _ARTICLES]
        or words
        or lowered.split()
        or text.split()
    )


def squad_normalize(text: str) -> str:
    """Return `squad_tokens` joined by single spaces; "" only for a blank text."""
    return " ".join(squad_tokens(text))


def token_count(text: str) -> int:
    """Return the number of words and of punctuation marks: a cheap measure of a text's length.

    It is no model's tokeniser; compare it with itself only.
    """
    return len(_PIECE.findall(text))


_PIECE = re.compile(r"\w++|[^\w\s]")


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    One bit a token of `left`, so a step over `right` is a few operations on one integer.

    Source:
        Hyyrö, Bit-parallel LCS-length computation revisited, AWOCA 2004.
    """
    positions: dict[str, int] = {}
    for position, token in enumerate(left):
        positions[token] = positions.get(token, 0) | 1 << position
    full = (1 << len(left)) - 1
    unmatched = full
    for token in right:
        matched = unmatched & positions.get(token, 0)
        unmatched = ((unmatched + matched) | (unmatched - matched)) & full
    return len(left) - unmatched.bit_count()


_CODE = re.compile(r"```(?>(?:(?!```).)*)```|`[^`\n]*+`", re.DOTALL)
_MARKER = re.compile(r"\[(\d{1,4}(?>(?:\s?,\s?\d{1,4}){0,50}))\]")


def markers(text: str) -> list[int]:
    """Return the numbers of the citation markers [1], [1, 2], [1][2], in order, with repeats.

    Code, fenced or in backticks, is skipped: an index there cites nothing.
    """
    matches = _MARKER.finditer(_CODE.sub(" ", text) if "`" in text else text)
    return [int(number) for match in matches for number in match.group(1).split(",")]


def without_markers(text: str) -> str:
    """Return the text without its citation markers; one that is nothing else stays as it is."""
    if "[" not in text:
        return text
    bare = _MARKER.sub("", text)
    return bare if bare.strip() else text
