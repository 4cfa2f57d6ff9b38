"""Words that stand near each other: the share that two neighbouring sentences of a text hold."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from ragate.core.text.segmentation import starts, words
from ragate.core.text.sentences import split_sentences

MOST_SENTENCES = 100


@lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
def _places(text: str) -> Mapping[str, tuple[int, ...]]:
    """Return by a word's start the sentences that hold it."""
    found: dict[str, dict[int, None]] = defaultdict(dict)
    for number, sentence in enumerate(split_sentences(text)):
        for start in {start for word in words(sentence) for start in starts(word)}:
            found[start][number] = None
    return {start: tuple(numbers) for start, numbers in found.items()}


def held_together(wanted: Collection[str], texts: Iterable[str]) -> float:
    """Return the largest share of words that two sentences in a row of one text hold.

    An ending of one or two letters does not count. A word of more than 100 sentences of a text
    counts as near all others there.
    """
    begun = [starts(word) for word in wanted]
    best = 0
    for text in texts:
        places, counts, everywhere = _places(text), Counter[int](), 0
        held = [numbers for each in begun if (numbers := _numbers(places, each))]
        if len(held) <= best:
            continue  # no two sentences of it can hold more
        for numbers in held:
            if any(len(each) > MOST_SENTENCES for each in numbers):
                everywhere += 1
            else:
                at = {number for each in numbers for number in each}
                counts.update(at | {number + 1 for number in at})
        best = max(best, max(counts.values(), default=0) + everywhere)
    return best / max(1, len(wanted))


def _numbers(places: Mapping[str, tuple[int, ...]], begun: Iterable[str]) -> list[tuple[int, ...]]:
    return [places[start] for start in begun if start in places]
