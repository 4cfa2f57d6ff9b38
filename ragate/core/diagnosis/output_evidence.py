"""Ranks, places taken and the origin of new words in the outputs of one sample."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from enum import Enum, auto
from statistics import median_low
from typing import NamedTuple

from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.words import without_markers
from ragate.models import RankChange, Record, RetrievedChunk

_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = frozenset(".!?:\n")
_LONG_WORD = 4
_MIN_WORDS = 2
_SHARE = 0.6
_GAVE_UP = 0.25
_SUPPORT = 0.9
_SUPPORT_WORDS = 3


Ranking = Sequence[str]


def docs_of(record: Record) -> tuple[str, ...]:
    """Return the retrieved documents in rank order, each once."""
    return tuple(ranked_doc_ids(record.output.chunks))


def rankings(records: Iterable[Record]) -> list[Ranking]:
    """Return each run's documents in rank order; equal retrievals are read once."""
    found: dict[str, Ranking] = {}
    result = []
    for record in records:
        if record.retrieval_hash not in found:
            found[record.retrieval_hash] = docs_of(record)
        result.append(found[record.retrieval_hash])
    return result


def rank_changes(
    expected: Collection[str], before: Sequence[Ranking], after: Sequence[Ranking]
) -> tuple[RankChange, ...]:
    """Return the median rank of each expected document on both sides, None where not retrieved."""
    return tuple(
        RankChange(doc_id=doc_id, before=_median(doc_id, before), after=_median(doc_id, after))
        for doc_id in sorted(expected)
    )


def _median(doc_id: str, runs: Sequence[Ranking]) -> int | None:
    if not runs:
        return None
    middle = median_low([run.index(doc_id) + 1 if doc_id in run else math.inf for run in runs])
    return None if math.isinf(middle) else int(middle)


def newcomers(
    before: Iterable[Ranking], after: Iterable[Ranking], *, was: int | None, now: int | None
) -> list[str]:
    """Return the documents among the first `now` that were not among the first `was` before."""
    old = {doc_id for ranking in before for doc_id in ranking[:was]}
    new = dict.fromkeys(doc_id for ranking in after for doc_id in ranking[:now])
    return [doc_id for doc_id in new if doc_id not in old]


class Origin(Enum):
    """Where what is new in an answer stands."""

    NOTHING_NEW = auto()
    SUSPECTS = auto()
    NOWHERE = auto()
    ELSEWHERE = auto()


class Traced(NamedTuple):
    """The origin of what is new in an answer, with the words that show it."""

    origin: Origin
    words: tuple[str, ...] = ()


def trace(
    answer: str,
    *,
    known: Iterable[str],
    chunks: Sequence[RetrievedChunk],
    suspects: Collection[str],
) -> Traced:
    """Say where the words of `answer` come from that are in none of `known`.

    Numbers and names weigh first, being what a model copies or makes up; long words count only
    where there are none. Chunks without text are no evidence.

    Args:
        answer: The candidate's answer.
        known: The question and the baseline's answers.
        chunks: The candidate's contexts.
        suspects: Documents that are new, or newly ahead of the expected ones.
    """
    if not any(chunk.text for chunk in chunks):
        return Traced(Origin.ELSEWHERE)
    old = set[str]().union(*(words(text) for text in known))
    answer = without_markers(answer)
    facts = [word for word in dict.fromkeys(_facts(answer)) if word not in old]
    plain = [word for word in dict.fromkeys(_words(answer)) if word not in old and _weighs(word)]
    theirs, others = _held(facts or plain, chunks, suspects)
    if facts:
        return _trace_facts(facts, theirs=theirs, others=others)
    led = [word for word in plain if word in theirs and word not in others]
    if len(led) >= _MIN_WORDS and len(led) >= _SHARE * len(plain):
        return Traced(Origin.SUSPECTS, tuple(led))
    return Traced(Origin.NOTHING_NEW)


def _trace_facts(facts: list[str], *, theirs: set[str], others: set[str]) -> Traced:
    if theirs.issuperset(facts) and not others.issuperset(facts):
        return Traced(Origin.SUSPECTS, tuple(facts))
    if all(fact not in theirs and fact not in others for fact in facts):
        return Traced(Origin.NOWHERE, tuple(facts))
    return Traced(Origin.ELSEWHERE, tuple(facts))


def shares_new_words(
    answer: str, *, known: Iterable[str], chunks: Sequence[RetrievedChunk]
) -> bool:
    """Return True where a word of `answer` that is in none of `known` stands in a chunk."""
    old = set[str]().union(*(words(text) for text in known))
    new = [word for word in words(without_markers(answer)) - old if _weighs(word)]
    texts = [_folded(chunk.text) for chunk in chunks]
    return any(_stands(word, text) for text in texts for word in new)


def gave_up(answer: str, *, known: Iterable[str]) -> bool:
    """Return True where next to nothing of an earlier answer is left: a refusal, or silence."""
    now = {word for word in words(answer) if _weighs(word)}
    return all(
        len(now & old) <= _GAVE_UP * len(old)
        for old in ({word for word in words(text) if _weighs(word)} for text in known)
        if old
    )


def is_part(answer: str, known: Iterable[str]) -> bool:
    """Return True where the answer says some of an earlier answer and nothing else."""
    now = words(without_markers(answer))
    return len(now) >= _MIN_WORDS and any(now < words(text) for text in known)


def supports(chunks: Sequence[RetrievedChunk], references: Sequence[str]) -> bool:
    """Return True where one chunk holds the words of a reference answer, every fact among them.

    Short references prove nothing: "yes" or "5 days" stands in many chunks. Nor do passages that
    differ in a date or a name alone.
    """
    texts = [_folded(chunk.text) for chunk in chunks if chunk.text]
    return any(_holds(text, reference) for reference in references for text in texts)


def _holds(text: str, reference: str) -> bool:
    wanted = {word for word in words(reference) if _weighs(word)}
    if len(wanted) < _SUPPORT_WORDS or not all(_stands(one, text) for one in _facts(reference)):
        return False
    return sum(_stands(word, text) for word in wanted) >= _SUPPORT * len(wanted)


def words(text: str) -> set[str]:
    """Return the words and numbers of `text`, lower case, numbers without thousands marks."""
    return set(_words(text))


def _words(text: str) -> list[str]:
    return [_normal(match.group()) for match in _WORD.finditer(text)]


def _facts(text: str) -> list[str]:
    """Return numbers, and capitalised words that do not open a sentence."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[0].isdigit():
            found.append(_normal(word))
        elif word[0].isupper() and len(word) > 1:
            ahead = text[: match.start()].rstrip(" \t\"'“‘(*_#>-")
            if ahead and ahead[-1] not in _SENTENCE_END:
                found.append(_normal(word))
    return found


def _normal(word: str) -> str:
    return word.lower().replace(",", "")


def _weighs(word: str) -> bool:
    return word[0].isdigit() or len(word) >= _LONG_WORD


def _held(
    wanted: Sequence[str], chunks: Sequence[RetrievedChunk], suspects: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return which of `wanted` stand in chunks of `suspects`, and which in the others."""
    theirs, others = set[str](), set[str]()
    for chunk in chunks:
        text = _folded(chunk.text)
        side = theirs if chunk.doc_id in suspects else others
        side.update(word for word in wanted if _stands(word, text))
    return theirs, others


def _folded(text: str) -> str:
    # As `_normal` does to one word. Looking up a few words is far cheaper than splitting the text.
    return text.lower().replace(",", "")


def _stands(word: str, text: str) -> bool:
    """True where `word` stands in the folded `text` as a word, not as a part of one."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        start = text.find(word, start + 1)
    return False
