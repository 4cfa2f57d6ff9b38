"""Words to the dimensions of a sparse vector."""

import hashlib
from collections import Counter

from ragate.core.text.words import tokens
from ragate.systems.pgvector.retrieval_settings import Bm25Settings

DIMENSIONS = 1_000_000_000  # the most that sparsevec takes; 50,000 words share about one place
MAX_NONZERO = 16_000  # the most that one sparsevec holds

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has
have having he her here hers him his how i if in into is it its just me more most my no nor
not of off on once only or other our out over own s same she should so some such t than that
the their them then there these they this those through to too under until up very was we
were what when where which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_ENGLISH.split())


class Analyzer:
    """Turns a text into counted terms; the same for documents and questions."""

    def __init__(self, settings: Bm25Settings) -> None:
        self._stop = STOP_WORDS if settings.stop_words == "english" else frozenset()
        self._stem = _stemmer(settings.stemmer)
        self._known: dict[str, int | None] = {}

    def dimensions(self, text: str) -> list[int]:
        """Return the dimension of each word that is no stop word, in order, with repeats."""
        by_word = self._known
        words = tokens(text)
        for word in words:
            if word not in by_word:
                by_word[word] = None if word in self._stop else dimension(self._stem(word))
        return [number for number in map(by_word.__getitem__, words) if number is not None]

    def counts(self, text: str) -> dict[int, int]:
        """Return how often each dimension occurs, in rising order of dimension."""
        counted = Counter(self.dimensions(text))
        if len(counted) > MAX_NONZERO:
            counted = Counter(dict(counted.most_common(MAX_NONZERO)))
        return dict(sorted(counted.items()))


def dimension(term: str) -> int:
    """Return the dimension of a term, 0-based; the same in every process and on every machine."""
    hashed = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "big") % DIMENSIONS


def _stemmer(language: str):  # type: ignore[no-untyped-def]
    if language == "none":
        return lambda word: word
    import Stemmer

    return Stemmer.Stemmer(language).stemWord
