"""The words of texts, to look others up in, whatever their endings and wherever they stand."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from operator import and_

from ragate.core.text.segmentation import is_cut, words
from ragate.core.text.sentences import split_sentences

MOST_SENTENCES = 100
MOST_READ = 5_000  # sentences of a text; all behind them count as one


@lru_cache(maxsize=65_536)  # the words of a language come back
def starts(word: str) -> tuple[str, ...]:
    """Return what is left without an ending: the word, and without one or two of its letters."""
    if len(word) < 5 or not word.isalpha():
        return (word,)
    return word, word[:-1], word[:-2]


class Vocabulary:
    """Words to look others up in, whatever their endings."""

    def __init__(self, known: Iterable[str], parts: Sequence["_Passage"] = ()) -> None:
        self.words = frozenset(known)
        self._parts = parts

    @cached_property
    def starts(self) -> frozenset[str]:
        """What is left of the words without an ending."""
        if self._parts:
            return frozenset[str]().union(*(part.starts for part in self._parts))
        return frozenset[str]().union(*map(starts, self.words))

    @cached_property
    def _letters(self) -> set[str]:
        return {char for word in self.words if is_cut(word) for char in word}

    def __contains__(self, word: str) -> bool:
        """Tell whether a word is known, or known with another ending of one or two letters."""
        if word in self.words:
            return True
        if is_cut(word):
            return len(word) == 1 and word in self._letters
        return not self.starts.isdisjoint(starts(word))

    def share(self, wanted: Collection[str]) -> float:
        """Return the share of words that are known, 0 where there is none."""
        return sum(word in self for word in wanted) / max(1, len(wanted))


class _Passage:
    """A text as it is looked through, each part of it once it is asked for.

    Sentences are the bits of an integer: collecting garbage would look into each of as many lists.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = frozenset(words(text))

    @cached_property
    def starts(self) -> frozenset[str]:
        """What is left of its words without an ending."""
        return frozenset[str]().union(*map(starts, self.words))

    @cached_property
    def sentences(self) -> Mapping[str, int]:
        """By the start of a word the sentences that hold it."""
        by_word: dict[str, int] = {}
        for number, sentence in enumerate(split_sentences(self.text)):
            bit = 1 << min(number, MOST_READ)
            for word in words(sentence):
                by_word[word] = by_word.get(word, 0) | bit
        by_start: dict[str, int] = {}
        for word, bits in by_word.items():
            for start in starts(word):
                by_start[start] = by_start.get(start, 0) | bits
        return by_start


# Every metric reads the same ones, and they come back in other samples.
_passage = lru_cache(maxsize=1_024)(_Passage)


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """Return the words of some texts."""
    passages = list(map(_passage, texts))
    return Vocabulary(frozenset[str]().union(*(each.words for each in passages)), passages)


def held_together(wanted: Collection[str], texts: Iterable[str]) -> float:
    """Return the largest share of words that two sentences in a row of one text hold.

    An ending of one or two letters does not count. A word of more than 100 sentences of a text
    counts as near all others there.
    """
    begun = list(map(starts, wanted))
    best = 0
    for passage in map(_passage, texts):
        held = [bits for each in begun if (bits := _sentences(passage, each))]
        if len(held) > best:  # else no two sentences of it can hold more
            best = max(best, _most_together(held))
    return best / max(1, len(wanted))


def _sentences(passage: _Passage, begun: Iterable[str]) -> int:
    """Return the sentences that hold a word, and those behind them; all for one of too many."""
    bits = 0
    for start in begun:
        bits |= passage.sentences.get(start, 0)
    return -1 if bits.bit_count() > MOST_SENTENCES else bits | bits << 1


def _most_together(held: Sequence[int]) -> int:
    """Return how many words have a sentence in common."""
    if reduce(and_, held):
        return len(held)
    counts = Counter[int]()
    for bits in held:
        while bits > 0:
            lowest = bits & -bits
            counts[lowest] += 1
            bits ^= lowest
    return max(counts.values()) + held.count(-1)
