"""Words in any script, by Unicode's word boundaries: what metrics compare.

`ragate.core.text.words.tokens` is the analyser of an index, where another cut would make every
stored vector wrong; this one may change with a metric's version.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
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
# Marks that a writer may leave out: Arabic vowels and the stretching sign, Hebrew points.
_OPTIONAL = regex.compile(rf"[\u064b-\u0652\u0670\u0640\u0591-\u05bd\u05bf\u05c1\u05c2{INVISIBLE}]")
_ARABIC = str.maketrans("أإآٱىة", "اااايه")
_ARTICLE = regex.compile("(?:[وفبك]?ال|لل)(?=[\u0621-\u064a]{3})")
_INSIDE = regex.compile(r"['’.:·]")
_CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
_WORTH_KEEPING = 300  # characters
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
    return list(_cached(text) if len(text) > _WORTH_KEEPING else _words(text))


def units(text: str) -> list[str]:
    """Return the words of a text, and where `words` gives pairs each character by itself.

    For what is compared in order: every part of a run of characters is a run of these.
    """
    runs = _runs(level(text))
    return [unit for run in runs for unit in (_CLUSTER.findall(run) if _cut(run) else [run])]


def _words(text: str) -> tuple[str, ...]:
    return tuple(_words_of(level(text)))


def _words_of(levelled: str) -> Iterable[str]:
    if levelled.isascii():
        return _spaced(levelled)
    runs = _runs(levelled)
    return (word for run in runs for word in (pairs(run) if _cut(run) else [run]))


_cached = lru_cache(maxsize=4_096)(_words)  # contexts, which every metric reads


@lru_cache(maxsize=4_096)
def _distinct_words(text: str) -> frozenset[str]:
    # A space is a boundary whatever stands beside it, and most words stand there repeatedly.
    first, *others = level(text).split(" ")  # a mark that begins a text is a case of its own
    return frozenset(_words_of(" ".join([first, *set(others)])))


def _runs(levelled: str) -> Iterator[str]:
    """Yield words, and whole runs of the scripts that are cut into characters."""
    if levelled.isascii():
        yield from _spaced(levelled)
        return
    for part in _SPLIT_RUNS.split(levelled):
        if _cut(part):
            yield part
        else:
            yield from _spaced(part)


def spaced_out(text: str) -> str:
    """Return a text with a space on either side of each character that `units` gives alone."""
    return text if text.isascii() else _ONE_UNIT.sub(r" \g<0> ", text)


def pairs(run: str) -> list[str]:
    """Return each two neighbouring characters of a run; one by itself where there is no other."""
    clusters = _CLUSTER.findall(run)
    return [a + b for a, b in pairwise(clusters)] or clusters


def _cut(run: str) -> bool:
    """Tell whether a run is of a script that is cut into characters."""
    return run > "\u0dff" and bool(_UNSPACED.match(run))


def are_pairs(found: Collection[str]) -> bool:
    """Tell whether most words are pairs of characters, of scripts that have no blanks."""
    return 2 * sum(map(_cut, found)) > len(found)


def _spaced(text: str) -> Iterator[str]:
    is_ascii = text.isascii()
    pieces = _ASCII_PIECE.findall(text) if is_ascii else _BOUNDARY.split(_FLAGS.sub(" ", text))
    for piece in pieces:
        if piece.isalnum() and piece != "cannot":
            yield piece if is_ascii else _without_article(piece)
        elif any(map(str.isalnum, piece)):
            yield from _opened(piece)


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


class Vocabulary:
    """Words to look others up in, whatever their endings."""

    def __init__(self, known: Iterable[str]) -> None:
        self._words = frozenset(known)

    @cached_property
    def _starts(self) -> set[str]:
        return {start for word in self._words for start in starts(word)}

    @cached_property
    def _letters(self) -> set[str]:
        return {char for word in self._words if _cut(word) for char in word}

    def __contains__(self, word: str) -> bool:
        """Tell whether a word is known, or known with another ending of one or two letters."""
        if word in self._words:
            return True
        if _cut(word):
            return len(word) == 1 and word in self._letters
        return any(start in self._starts for start in starts(word))

    def share(self, wanted: Collection[str]) -> float:
        """Return the share of words that are known, 0 where there is none."""
        return sum(word in self for word in wanted) / max(1, len(wanted))


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """Return the words of some texts."""
    return Vocabulary(frozenset[str]().union(*map(_distinct_words, texts)))


@lru_cache(maxsize=65_536)  # the words of a language come back
def starts(word: str) -> tuple[str, ...]:
    """Return what is left without an ending: the word, and without one or two of its letters."""
    return (word, word[:-1], word[:-2]) if len(word) >= 5 and word.isalpha() else (word,)


def whole_words(text: str) -> str:
    """Return the words with a space on either side of each, so that phrases match whole words."""
    return f" {' '.join(units(text))} "
