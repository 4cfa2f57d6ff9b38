"""One changed sample as the page shows it: cut to a sensible length, both sides beside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.core.diagnosis.word_origin import mark_sentence, weighty_words
from ragate.core.text.word_diff import WordChange, word_changes, work_of_diff
from ragate.models import (
    EarlierOutcome,
    RetrievedChunk,
    SampleEvidence,
    SampleRow,
    SampleSide,
    ScoreChange,
    SideEvidence,
)
from ragate.renderers._numbers import COMMENT, NOTHING
from ragate.renderers._samples import happened, pass_words, score
from ragate.support.escape import short_sha

_QUESTION, _ANSWER, _PASSAGE, _NAME = 1500, 4000, 1500, 200
_MOST_WORK = 4_000_000  # a tenth of a second
MOST_PASSAGES = 20
MOST_TURNS = 10
_EARLIER_SCORES = 4


@dataclass(frozen=True)
class RetrievedPassage:
    """One retrieved passage of either side.

    Attributes:
        before, now: Its rank on each side; "" where it was not retrieved.
        pieces: Its text in pieces, the sentence marked that shares most with the answers.
    """

    doc_id: str
    before: str
    now: str
    expected: bool
    pieces: list[tuple[bool, str]]


@dataclass(frozen=True)
class SampleTexts:
    """Everything of one sample that the page prints; the template escapes it."""

    row: SampleRow
    question: str
    turns: list[tuple[str, str]]
    what: str
    references: list[str]
    before: str | None
    now: str | None
    failure: str
    diff: list[WordChange]
    scores: list[dict[str, str]]
    passages: list[RetrievedPassage]
    more_passages: int
    spent: list[tuple[str, str, str]]
    earlier: list[tuple[str, str]]


def sample_texts(row: SampleRow, evidence: SampleEvidence | None) -> SampleTexts:
    """Return one row's texts.

    Args:
        evidence: What both sides retrieved, with texts; None shows the ids of the row.
    """
    known = evidence or SampleEvidence()
    before, now = _answer(row.baseline), _answer(row.candidate)
    passages, more = _passages(row, known)
    return SampleTexts(
        row=row,
        question=cut(row.query, _QUESTION),
        turns=[(turn.role, cut(turn.content, _QUESTION)) for turn in row.messages[-MOST_TURNS:]],
        what=cut("".join(happened(row, COMMENT)), 500),
        references=[cut(text, _ANSWER) for text in row.references],
        before=before,
        now=now,
        failure=cut(row.candidate.error or "", 500) if row.candidate else "",
        diff=_diff(before, now) if before and now else [],
        scores=[_score(change, row) for change in row.scores],
        passages=passages,
        more_passages=more,
        spent=list(_spent(known.before, known.after)),
        earlier=[_earlier(each, row) for each in known.earlier],
    )


def cut(text: str, most: int) -> str:
    """Return at most `most` characters, with an ellipsis where some are left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _answer(side: SampleSide | None) -> str | None:
    return None if side is None or side.answer is None else cut(side.answer, _ANSWER)


def _score(change: ScoreChange, row: SampleRow) -> dict[str, str]:
    moved = ""
    if change.before is not None and change.after is not None and change.before != change.after:
        moved = "rose" if change.after > change.before else "fell"
    return {
        "metric": cut(change.metric, _NAME),
        "before": score(change.before, COMMENT) if row.baseline is not None else NOTHING,
        "now": score(change.after, COMMENT),
        "moved": moved,
        "marks": pass_words(change.passed, change.passes).strip(" ()"),
        "reason": cut(change.reason, 600),
    }


def _diff(before: str, now: str) -> list[WordChange]:
    """Return the word diff; none where it would take long: both answers stand beside it."""
    return word_changes(before, now) if work_of_diff(before, now) <= _MOST_WORK else []


def _passages(row: SampleRow, evidence: SampleEvidence) -> tuple[list[RetrievedPassage], int]:
    """Return what was retrieved now, in rank order, then what went, each with both ranks.

    The second value counts those that are left out.

    Passages are told apart by their texts where both sides have them, else by their documents.
    """
    sides = evidence.before.chunks, evidence.after.chunks
    by_text = None not in sides
    before = _ranked(sides[0], row.baseline, by_text=by_text)
    now = _ranked(sides[1], row.candidate, by_text=by_text)
    words = weighty_words(_words_to_mark(row))
    keys = list({**now, **before})
    shown = [
        RetrievedPassage(
            doc_id=cut(key[0], _NAME),
            before=str(before[key][0]) if key in before else "",
            now=str(now[key][0]) if key in now else "",
            expected=key[0] in row.expected,
            pieces=mark_sentence(cut((now.get(key) or before[key])[1], _PASSAGE), words),
        )
        for key in keys[:MOST_PASSAGES]
    ]
    return shown, len(keys) - len(shown)


def _words_to_mark(row: SampleRow) -> str:
    """Return the texts whose words a passage may support: both answers and the references."""
    sides = (row.baseline, row.candidate)
    answers = [cut(side.answer, _ANSWER) for side in sides if side is not None and side.answer]
    return " ".join([*answers, *(cut(text, _ANSWER) for text in row.references)])


def _ranked(
    chunks: Sequence[RetrievedChunk] | None, side: SampleSide | None, *, by_text: bool
) -> dict[tuple[str, str], tuple[int, str]]:
    """Return rank and text of each passage by its document and, if wanted, its text."""
    if chunks is None:
        texts = [(doc_id, "") for doc_id in (side.docs if side is not None else ())]
    else:
        texts = [(chunk.doc_id, chunk.text) for chunk in chunks]
    ranks: dict[tuple[str, str], tuple[int, str]] = {}
    for rank, (doc_id, text) in enumerate(texts, 1):
        ranks.setdefault((doc_id, text if by_text else ""), (rank, text))
    return ranks


def _spent(before: SideEvidence, now: SideEvidence) -> Iterator[tuple[str, str, str]]:
    """Yield what one answer took on each side, by name; what neither side knows is left out."""
    sides = (before, now)
    figures: list[tuple[str, list[Any]]] = [
        ("time", [each.latency_s for each in sides]),
        ("model calls", [each.usage and each.usage.calls for each in sides]),
        ("tokens in", [each.usage and each.usage.prompt_tokens for each in sides]),
        ("tokens out", [each.usage and each.usage.completion_tokens for each in sides]),
        ("cost", [each.usage and each.usage.cost_usd for each in sides]),
    ]
    units = {"time": "seconds", "cost": "dollars"}
    for name, values in figures:
        if any(value is not None for value in values):
            shown = [_figure(units.get(name, "count"), value) for value in values]
            yield name, shown[0], shown[1]


def _earlier(earlier: EarlierOutcome, row: SampleRow) -> tuple[str, str]:
    """Return when a run was, and what the metrics that moved now measured there."""
    scores = earlier.outcome.scores
    names = [each.metric for each in row.scores if each.metric in scores][:_EARLIER_SCORES]
    shown = ", ".join(f"{cut(name, _NAME)} {score(scores[name], COMMENT)}" for name in names)
    when = f"{earlier.created[:16].replace('T', ' ')} {short_sha(earlier.commit)}"
    return when.strip(), f"{shown}{pass_words(None, earlier.outcome.passes)}"


def _figure(unit: str, value: float | None) -> str:
    if unit == "dollars":
        return NOTHING if value is None else f"${value:.4f}"
    return COMMENT.value(unit, value)
