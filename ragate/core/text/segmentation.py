"""Words in any script, by Unicode's word boundaries: what metrics compare.

`ragate.core.text.words.tokens` is the analyser of an index, where another cut would make every
stored vector wrong; this one may change with a metric's version.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import pairwise

import regex

from ragate.core.text.languages import function_words_of
from ragate.core.text.unicode_forms import INVISIBLE, normalised

# Default word boundaries of Unicode, as tailored by nothing: UAX 29 has no dictionary.
_BOUNDARY = regex.compile(r"(?wV1)\b")
# The same for ASCII, without what holds no word: five times as fast.
_ASCII_PIECE = re.compile(
    r"(?:'(?=[aeiou]))?\w++"
    r"(?>(?:[:.',;](?:(?<=[a-z][:.'])(?=[a-z])|(?<=[0-9][,;.'])(?=[0-9]))\w++)*)",
    re.ASCII,
)
# No part of a word, and in a row of them each boundary takes a look at all before it.
_FLAGS = regex.compile("[\U0001f1e6-\U0001f1ff]++")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc]"
)
_SPLIT_RUNS = regex.compile(rf"((?:{_UNSPACED.pattern}[\p{{M}}]*+)++)")
_ONE_UNIT = regex.compile(rf"{_UNSPACED.pattern}\p{{M}}*+")
_CLUSTER = regex.compile(r"\X")
# What stands between two blanks and is not all ASCII.
_FOREIGN = re.compile(r"((?<!\S)[^\s\x80-\U0010ffff]*+[^\x00-\x7f][^\x00-\x20]*+)")
# Marks that a writer may leave out: Arabic vowels and the stretching sign, Hebrew points.
_OPTIONAL = regex.compile(rf"[\u064b-\u0652\u0670\u0640\u0591-\u05bd\u05bf\u05c1\u05c2{INVISIBLE}]")
_ARABIC = str.maketrans("أإآٱىة", "اااايه")
_ARTICLE = regex.compile("(?:[وفبك]?ال|لل)(?=[\u0621-\u064a]{3})")
_INSIDE = regex.compile(r"['’.:·]")
_CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
_SHORT_FORMS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})


def level(text: str) -> str:
    """Return a text as it is compared: without case, width, form and marks that may be left out."""
    if text.isascii():
        return text.lower()
    return _OPTIONAL.sub("", normalised("NFKC", text).casefold()).translate(_ARABIC)


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in order, levelled.

    "don't" is do and not, "Pete's" is pete, "l'eau" is l and eau, "U.S." is us. Korean, and scripts
    without spaces between words, give each pair of neighbouring characters: words for which a
    dictionary would be needed differ from the pairs of other words, and single characters do not.
    """
    return _words(text, pairs)


def units(text: str) -> list[str]:
    """Return the words of a text, and where `words` gives pairs each character by itself.

    For what is compared in order: every part of a run of characters is a run of these.
    """
    return _words(text, _CLUSTER.findall)


def _words(text: str, cut: Callable[[str], list[str]]) -> list[str]:
    """Return the words of a text, and what is cut from the runs of scripts without spaces."""
    if text.isascii():
        return _of_ascii(text)
    found: list[str] = []
    for part in _FOREIGN.split(text):  # what is ASCII is read five times as fast
        if part.isascii():
            found += _of_ascii(part)
        else:
            found += _foreign(part, cut)
    return found


def _of_ascii(text: str) -> list[str]:
    pieces = _ASCII_PIECE.findall(text.lower())
    is_plain = "".join(pieces).isalnum() and "cannot" not in pieces
    return pieces if is_plain else _spaced(pieces)


@lru_cache(maxsize=1_024)  # a few come back, such as a word with a curly apostrophe
def _foreign(part: str, cut: Callable[[str], list[str]]) -> tuple[str, ...]:
    found: list[str] = []
    for run in _SPLIT_RUNS.split(f" {level(part)}"):  # a mark that begins a text is no part of it
        found += cut(run) if is_cut(run) else _spaced(_BOUNDARY.split(_FLAGS.sub(" ", run)))
    return tuple(found)


@lru_cache(maxsize=65_536)  # the words of a language come back
def words_of(piece: str) -> tuple[str, ...]:
    """Return the words of a piece of a text, such as one between two spaces."""
    return tuple(words(piece))


def spaced_out(text: str) -> str:
    """Return a text with a space on either side of each character that `units` gives alone."""
    return text if text.isascii() else _ONE_UNIT.sub(r" \g<0> ", text)


def pairs(run: str) -> list[str]:
    """Return each two neighbouring characters of a run; one by itself where there is no other."""
    clusters = _CLUSTER.findall(run)
    return [a + b for a, b in pairwise(clusters)] or clusters


def is_cut(run: str) -> bool:
    """Tell whether a run is of a script that is cut into characters."""
    return run > "\u0dff" and bool(_UNSPACED.match(run))


def are_pairs(found: Collection[str]) -> bool:
    """Tell whether most words are pairs of characters, of scripts that have no blanks."""
    return 2 * sum(map(is_cut, found)) > len(found)


def _spaced(pieces: list[str]) -> list[str]:
    """Return the words of the pieces between two boundaries."""
    found: list[str] = []
    for piece in pieces:
        if piece.isalnum() and piece != "cannot":
            found.append(_without_article(piece))
        elif any(map(str.isalnum, piece)):
            found += _opened(piece)
    return found


def _without_article(word: str) -> str:
    return word if word < "\u0600" else _ARTICLE.sub("", word, count=1)


def _opened(piece: str) -> Iterator[str]:
    """Yield the words of a piece that is more than letters and digits, or that is two words."""
    if piece == "cannot":
        yield from ("can", "not")
        return
    if piece[0].isdigit() or not _INSIDE.search(piece):
        yield _without_article(piece.strip("_"))
        return
    piece = piece.replace("’", "'")
    if piece.endswith("n't"):
        yield from filter(None, (_CONTRACTIONS.get(piece, piece[:-3]), "not"))
        return
    inner = [part for part in _INSIDE.split(piece) if part]
    if "." in piece and all(len(part) == 1 for part in inner):
        yield "".join(inner)
        return
    yield from (part for part in inner if part not in _SHORT_FORMS or part is inner[0])


def content_words(text: str) -> list[str]:
    """Return the words of a text without those that carry grammar rather than content, in order."""
    left_out = function_words_of(text)
    return [word for word in words(text) if word not in left_out]


def whole_words(text: str) -> str:
    """Return the words with a space on either side of each, so that phrases match whole words."""
    return f" {' '.join(units(text))} "
