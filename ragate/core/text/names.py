"""Names and other capitalised terms of a text."""

import re
from collections.abc import Iterator

from ragate.core.text.languages import function_words_of
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.unicode_forms import visible

_WORD = re.compile(r"[^\W\d_][\w'’&-]*+(?>(?:\.[^\W\d_](?![^\W_]))*)")
# What a capital follows without being a name: the start, a cell's mark, the number of an item.
_OPENING = re.compile(r"(?:^|[|•]|(?:^|[\s(])\d[.)])[\s\"“„«(*_`'’-]*$")
_CELL = re.compile(r"\s*\|")  # behind a word that is a whole cell
_NO_NAMES = frozenset({"yes", "no", "none", "not", "ja", "nein", "oui", "non", "sí", "da", "tak"})


def has_capitals(text: str) -> bool:
    """Tell whether a text has capital letters, and so could mark its names by them."""
    return any(map(str.isupper, text))


def names(text: str) -> list[str]:
    """Return the levelled words of a text's capitalised terms, each once, in order.

    The first word of a sentence counts where its place is not all that capitalises it: it holds a
    second capital, the next word is capitalised too, or it is all that a cell of a row holds. Words
    of grammar count only in capitals (US), single letters never.
    """
    left_out = function_words_of(text)
    found = dict[str, None]()
    for sentence in split_sentences(visible(text)):
        for word in _capitalised(sentence):
            pieces = (piece for piece in words(word) if len(piece) > 1)
            found.update((p, None) for p in pieces if word.isupper() or p not in left_out)
    return list(found)


def _capitalised(sentence: str) -> Iterator[str]:
    """Yield the words that not only their place capitalises."""
    matches = list(_WORD.finditer(sentence))
    for number, match in enumerate(matches):
        word = match[0]
        if not word[0].isupper():
            continue
        following = matches[number + 1] if number + 1 < len(matches) else None
        title = (
            following is not None
            and following[0][0].isupper()
            and sentence[match.end() : following.start()] == " "
        )
        before = sentence[max(0, match.start() - 8) : match.start()]
        opens = bool(_OPENING.search(before)) and not _is_cell(before, sentence, match)
        if not opens or title or any(map(str.isupper, word[1:])):
            yield word


def _is_cell(before: str, sentence: str, match: re.Match[str]) -> bool:
    """Tell whether a word that opens something is all that a cell of a table holds."""
    in_cell = before.rstrip().endswith("|") and bool(_CELL.match(sentence, match.end()))
    return in_cell and match[0].lower() not in _NO_NAMES
