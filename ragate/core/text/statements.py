"""Sentences as statements: what they say, and which of it they negate."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragate.core.text.languages import function_words_of, is_negation, negations_of, stands_behind
from ragate.core.text.segmentation import Vocabulary, starts, words
from ragate.core.text.sentences import split_sentences

LEAST_ALIKE = 0.5  # share of a statement's words that the nearest one has to hold
LEAST_WORDS = 3  # fewer say too little to be looked for
MOST_NEGATIONS = 20
MOST_SENTENCES = 100  # a word of more sentences than these does not help to find one
_AROUND = (1, 3)  # content words before and behind a negation that it is about
_AHEAD = (3, 1)  # the same of one that stands behind what it negates
_COMPARED = 5


@dataclass(frozen=True)
class Statement:
    """A sentence.

    Attributes:
        content: Its words without grammar and negations, in order.
        negated: For each negation, the words that it is about.
    """

    content: tuple[str, ...]
    negated: tuple[frozenset[str], ...]

    @cached_property
    def words(self) -> Vocabulary:
        """The content, to look words up in: made once, for one sentence may be a whole page."""
        return Vocabulary(self.content)

    def agrees_with(self, source: "Statement") -> bool:
        """Tell whether both negate the same: no negation of either lacks one in the other.

        A negation of the source counts only where at least half of what it is about is said here.
        """
        said, there = self.words, source.words
        own, theirs = _joined(self.negated), _joined(source.negated)
        for about in self.negated:
            if any(word in there for word in about) and not any(word in theirs for word in about):
                return False
        for about in source.negated:
            repeated = [word for word in about if word in said]
            if 2 * len(repeated) >= len(about) > 0 and not any(word in own for word in about):
                return False
        return True


def _joined(negated: Iterable[frozenset[str]]) -> Vocabulary:
    return Vocabulary(frozenset[str]().union(*negated))


def statement(sentence: str) -> Statement:
    """Return a sentence as a statement."""
    left_out, negating = function_words_of(sentence), negations_of(sentence)
    content: list[str] = []
    spans: list[tuple[int, int]] = []
    for word in words(sentence):
        if is_negation(word, negating):
            before, after = _AHEAD if stands_behind(word) else _AROUND
            spans.append((max(0, len(content) - before), len(content) + after))
        elif word not in left_out:
            content.append(word)
    about = [frozenset(content[start:end]) for start, end in spans[:MOST_NEGATIONS]]
    return Statement(tuple(content), tuple(about))


@lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
def statements(text: str) -> tuple[Statement, ...]:
    """Return the sentences of a text that say enough to be looked for elsewhere."""
    every = map(statement, split_sentences(text))
    return tuple(one for one in every if len(set(one.content)) >= LEAST_WORDS)


class StatementSources:
    """The statements of the texts that an answer may rest on."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._statements = [one for text in texts for one in statements(text)]
        self._by_start: dict[str, list[int]] = defaultdict(list)
        for index, one in enumerate(self._statements):
            for start in {start for word in one.content for start in starts(word)}:
                self._by_start[start].append(index)

    def nearest(self, one: Statement) -> Statement | None:
        """Return the statement that holds most of the words of one, None where all hold too few."""
        wanted = set(one.content)
        counts: Counter[int] = Counter()
        for word in wanted:
            found = {index for start in starts(word) for index in self._places(start)}
            counts.update(found)
        nearest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_COMPARED]
        alike = [(self._statements[index].words.share(wanted), -index) for index, _ in nearest]
        share, index = max(alike, default=(0.0, 0))
        return self._statements[-index] if share >= LEAST_ALIKE else None

    def _places(self, start: str) -> list[int]:
        places = self._by_start.get(start, [])
        return places if len(places) <= MOST_SENTENCES else []
