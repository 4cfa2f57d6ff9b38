"""Questions written otherwise without a model: the same words give the same variant every time."""

import random
import re
from collections.abc import Callable

# Words of letters alone: a number, an id or a path with a typo asks something else.
_PLAIN = re.compile(r"(?<![\w.\-/@#'’])[^\W\d_]{4,}(?![\w.\-/@#'’]*[\w/@#'’])")
_WORD = re.compile(r"\S+")
_SHARE = 6  # one typo for so many words, and at least one
_MOST = 3


def typos(query: str, rng: random.Random) -> str:
    """Return the question with one to three slips: two letters swapped, or one left out.

    Words of capitals alone, numbers and what holds a sign are not touched, nor is a first letter.
    """
    words = [word for word in _PLAIN.finditer(query) if not word.group().isupper()]
    count = min(_MOST, max(1, len(query.split()) // _SHARE), len(words))
    for word in sorted(rng.sample(words, count), key=lambda one: -one.start()):
        query = query[: word.start()] + _slip(word.group(), rng) + query[word.end() :]
    return query


def _slip(word: str, rng: random.Random) -> str:
    places = [n for n in range(1, len(word) - 1) if word[n] != word[n + 1]]
    if not places:
        return word[:-1]
    place = rng.choice(places)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return rng.choice((swapped, word[:place] + word[place + 1 :]))


def case(query: str, _rng: random.Random) -> str:
    """Return the question in small letters, or in capitals where it is in small ones already."""
    return query.lower() if query != query.lower() else query.upper()


def word_order(query: str, rng: random.Random) -> str:
    """Return the question with its second part first, as people type who think of the thing first.

    The mark at its end stays there.
    """
    body = query.rstrip(" ?!.。？！")
    words = _WORD.findall(body)
    if len(words) < 3:
        return query
    cut = rng.randrange(1, len(words))
    return " ".join([*words[cut:], *words[:cut]]) + query[len(body) :].rstrip()


PERTURBATIONS: dict[str, Callable[[str, random.Random], str]] = {
    "typos": typos,
    "case": case,
    "word-order": word_order,
}
