"""Where the new words of an answer stand: in chunks that are new, elsewhere, or nowhere."""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from ragate.models import RetrievedChunk

_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = frozenset(".!?:\n")
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_AHEAD_OF_A_WORD = " \t\"'“‘(*_#>-"  # what may stand between a sentence's end and its first word
_LONG_WORD = 4
_MIN_WORDS = 2
_SHARED = 2  # words of a sentence that stand in an answer as well
_MOST_OF_NEW = 0.6  # of an answer's new words: the suspects hold so many where it copies them
_GAVE_UP = 0.25  # of the words of an earlier answer: a refusal repeats no more
_SUPPORT = 0.9  # of the words of a reference: a chunk that holds it has so many
_SUPPORT_WORDS = 3


def _bare(answer: str) -> str:
    from ragate.core.text.words import without_markers  # files of scores may lack answers

    return without_markers(answer)


class WordOrigin(Enum):
    """Where what is new in an answer stands."""

    NOTHING_NEW = auto()
    SUSPECTS = auto()  # in chunks of suspected documents, and not as much in others
    NOWHERE = auto()  # in no chunk
    ELSEWHERE = auto()  # in other chunks as well, some of it in none, or that is not known


class TracedWords(NamedTuple):
    """The origin of what is new in an answer, with the words that show it."""

    origin: WordOrigin
    words: tuple[str, ...] = ()

    @property
    def quoted(self) -> str:
        return ", ".join(f'"{word}"' for word in self.words[:3])


def trace(
    answer: str,
    *,
    earlier: Iterable[str],
    chunks: Sequence[RetrievedChunk],
    suspects: Collection[str],
) -> TracedWords:
    """Say where the words of `answer` come from that are in none of the `earlier` texts.

    Numbers and names weigh first, being what a model copies or makes up; long words count only
    where there are none. Chunks without text are no evidence.

    Args:
        answer: The candidate's answer.
        earlier: The question and the baseline's answers.
        chunks: The candidate's contexts.
        suspects: Documents that are new, or newly ahead of the expected ones.
    """
    if not any(chunk.text for chunk in chunks):
        return TracedWords(WordOrigin.ELSEWHERE)
    earlier_words = _words_of_all(earlier)
    answer = _bare(answer)
    new_facts = _not_among(earlier_words, _facts(answer))
    if new_facts:
        suspected, elsewhere = _held(new_facts, chunks, suspects)
        return _trace_facts(new_facts, suspected=suspected, elsewhere=elsewhere)

    new_words = _not_among(earlier_words, filter(_weighs, _words(answer)))
    suspected, elsewhere = _held(new_words, chunks, suspects)
    copied = [word for word in new_words if word in suspected and word not in elsewhere]
    if len(copied) >= _MIN_WORDS and len(copied) >= _MOST_OF_NEW * len(new_words):
        return TracedWords(WordOrigin.SUSPECTS, tuple(copied))
    return TracedWords(WordOrigin.NOTHING_NEW)


def _not_among(earlier_words: Collection[str], answer_words: Iterable[str]) -> list[str]:
    """Return the words that are none of the earlier ones, each once."""
    return [word for word in dict.fromkeys(answer_words) if word not in earlier_words]


def _trace_facts(facts: list[str], *, suspected: set[str], elsewhere: set[str]) -> TracedWords:
    """Say where new facts stand.

    Args:
        suspected: Those of them that stand in chunks of suspects.
        elsewhere: Those that stand in the other chunks.
    """
    if suspected.issuperset(facts) and not elsewhere.issuperset(facts):
        origin = WordOrigin.SUSPECTS
    elif not suspected and not elsewhere:
        origin = WordOrigin.NOWHERE
    else:
        origin = WordOrigin.ELSEWHERE
    return TracedWords(origin, tuple(facts))


def shares_new_words(
    answer: str, *, earlier: Iterable[str], chunks: Sequence[RetrievedChunk]
) -> bool:
    """Return True where a word of `answer` that no `earlier` text has stands in a chunk."""
    new_words = filter(_weighs, words(_bare(answer)) - _words_of_all(earlier))
    texts = [_folded(chunk.text) for chunk in chunks]
    return any(_stands(word, text) for word in new_words for text in texts)


def gave_up(answer: str, *, earlier: Iterable[str]) -> bool:
    """Return True where next to nothing of an earlier answer is left: a refusal, or silence."""
    new = weighty_words(answer)
    old_answers = [old for old in map(weighty_words, earlier) if old]
    return all(len(new & old) <= _GAVE_UP * len(old) for old in old_answers)


def is_part(answer: str, earlier: Iterable[str]) -> bool:
    """Return True where the answer says some of an earlier answer and nothing else."""
    new = words(_bare(answer))
    return len(new) >= _MIN_WORDS and any(new < words(text) for text in earlier)


def supports(chunks: Sequence[RetrievedChunk], references: Sequence[str]) -> bool:
    """Return True where one chunk holds the words of a reference answer, every fact among them.

    Short references prove nothing: "yes" or "5 days" stands in many chunks. Nor do passages that
    differ in a date or a name alone.
    """
    texts = [_folded(chunk.text) for chunk in chunks if chunk.text]
    return any(_holds(text, reference) for reference in references for text in texts)


def _holds(text: str, reference: str) -> bool:
    weighty = weighty_words(reference)
    if len(weighty) < _SUPPORT_WORDS:
        return False
    if not all(_stands(fact, text) for fact in _facts(reference)):
        return False
    return sum(_stands(word, text) for word in weighty) >= _SUPPORT * len(weighty)


def words(text: str) -> set[str]:
    """Return the words and numbers of `text`, lower case, numbers without thousands marks."""
    return set(_words(text))


def mark_sentence(text: str, wanted: Collection[str]) -> list[tuple[bool, str]]:
    """Return `text` in pieces, the sentence that shares most of the `wanted` words marked.

    That is where a passage supports or contradicts an answer. One shared word alone is no sign.
    """
    breaks = [match.end() for match in _BREAK.finditer(text)]
    sentences = list(pairwise([0, *breaks, len(text)]))
    shared = [len(weighty_words(text[start:end]) & set(wanted)) for start, end in sentences]
    most = max(shared)
    if most < _SHARED:
        return [(False, text)] if text else []

    start, end = sentences[shared.index(most)]
    end = start + len(text[start:end].rstrip())
    pieces = [(False, text[:start]), (True, text[start:end]), (False, text[end:])]
    return [(marked, piece) for marked, piece in pieces if piece]


def _words(text: str) -> list[str]:
    return [_folded(match.group()) for match in _WORD.finditer(text)]


def _words_of_all(texts: Iterable[str]) -> set[str]:
    return set[str]().union(*map(words, texts))


def weighty_words(text: str) -> set[str]:
    """Return the words of `text` that tell something: numbers, and words of four letters."""
    return {word for word in words(text) if _weighs(word)}


def _facts(text: str) -> list[str]:
    """Return numbers, and capitalised words that do not open a sentence."""
    facts = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[0].isdigit():
            facts.append(_folded(word))
        elif word[0].isupper() and len(word) > 1:
            ahead = text[: match.start()].rstrip(_AHEAD_OF_A_WORD)
            opens_sentence = not ahead or ahead[-1] in _SENTENCE_END
            if not opens_sentence:
                facts.append(_folded(word))
    return facts


def _weighs(word: str) -> bool:
    return word[0].isdigit() or len(word) >= _LONG_WORD


def _held(
    new_words: Sequence[str], chunks: Sequence[RetrievedChunk], suspects: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return which of `new_words` stand in chunks of `suspects`, and which in the other chunks."""
    suspected, elsewhere = set[str](), set[str]()
    for chunk in chunks:
        text = _folded(chunk.text)
        side = suspected if chunk.doc_id in suspects else elsewhere
        side.update(word for word in new_words if _stands(word, text))
    return suspected, elsewhere


def _folded(text: str) -> str:
    # A word or a whole text: looking up a few words is far cheaper than splitting the text.
    return text.lower().replace(",", "")


def _stands(word: str, text: str) -> bool:
    """True where `word` stands in the folded `text` as a word, not as a part of one."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        character_before = text[max(0, start - 1) : start]
        character_behind = text[end : end + 1]
        if not character_before.isalnum() and not character_behind.isalnum():
            return True
        start = text.find(word, start + 1)
    return False
