"""What happened to the questions that got worse, in one sentence made of counts."""

from operator import itemgetter

from ragate.models import CauseKind, Diagnosis, Report, Story
from ragate.renderers import _numbers as numbers
from ragate.renderers._events import (
    came_words,
    edited_words,
    lost_words,
    other_text_words,
    refused_words,
)
from ragate.renderers._headline import ReportSign, headline, status_of
from ragate.renderers._numbers import counted
from ragate.renderers._samples import arrow
from ragate.renderers._words import Name, Words, joined

MOST_CAUSES = 2


def story_words(report: Report) -> Words:
    """Return ``4 other answers changed with the same documents; …``; empty of none.

    The causes stand with their counts, the most frequent first, so that none is named alone that
    most of the questions do not share. They add up to the questions that got worse, with what the
    first line has said already.
    """
    story = report.story
    if not story.worse or status_of(report) in (ReportSign.BOOTSTRAP, ReportSign.UNCHANGED):
        return []
    line_1 = "".join(headline(report))
    clauses = _causes(report, line_1)
    clauses += _answers(report, line_1, alone=not clauses)
    came = came_words(report)
    if not story.fewer and "".join(came) not in line_1:
        clauses.append(came)
    words = joined(clauses, ", ")
    if words and 0 < story.told < story.worse:
        words = [f"of the {story.told:,} worst ", *words]
    if (hardest := story.hardest) is not None:
        share = f" is hit hardest ({hardest.worse:,} of {hardest.of:,})"
        words = [*words, "; " if words else "", Name(hardest.tag), share]
    return words


def _causes(report: Report, line_1: str) -> list[Words]:
    """Return what the questions that got worse have in common, the most frequent first."""
    story = report.story
    lost, other_text, edited = (
        "".join(words(report)) for words in (lost_words, other_text_words, edited_words)
    )
    which = "other " if story.lost and lost in line_1 else ""
    came_otherwise = f"{counted(story.other_text, f'{which}{numbers.NOUN}')} got documents with"
    kinds = [  # each as it is said here, and as line 1 says it
        (story.lost, lost, lost),
        (story.fewer, fewer := _fewer(story, which), fewer),
        (story.unnamed, unnamed := _unnamed(story.unnamed, which), unnamed),
        (story.other_text, f"{came_otherwise} other text", other_text),
    ]
    for kind, count in story.causes.items():
        words = _cause(kind, count, which)
        kinds.append((count, words, edited if kind is CauseKind.DATA else words))
    counts = [(count, words) for count, words, told in kinds if count and told not in line_1]
    counts.sort(key=itemgetter(0), reverse=True)
    clauses: list[Words] = [[words] for _, words in counts[:MOST_CAUSES]]
    if others := sum(count for count, _ in counts[MOST_CAUSES:]):
        clauses.append([f"{others:,} more changed otherwise"])
    return clauses


def _answers(report: Report, line_1: str, *, alone: bool) -> list[Words]:
    """Return how many of these questions are refused now, or were: they are counted above."""
    story, clauses = report.story, list[Words]()
    of_these = "" if alone else " of these"
    if story.refused and "".join(refused_words(report)) not in line_1:
        verb = "says" if story.refused == 1 else "say"
        clauses.append([f"{story.refused:,}{of_these} now {verb} “I don't know”"])
    if story.answered:
        verb = "gets" if story.answered == 1 else "get"
        clauses.append([f"{story.answered:,}{of_these}, refused before, now {verb} an answer"])
    return clauses


def _fewer(story: Story, which: str) -> str:
    size = f" ({arrow(*story.came)})" if story.came else ""
    return f"{counted(story.fewer, f'{which}{numbers.NOUN}')} got fewer documents{size}"


def _unnamed(count: int, which: str) -> str:
    whose = "its" if count == 1 else "their"
    changed = f"{counted(count, f'{which}answer')} changed"
    return f"{changed} ({whose} documents are not known: return them as chunks or contexts)"


def _cause(kind: CauseKind, count: int, which: str) -> str:
    questions, answers = (counted(count, f"{which}{noun}") for noun in (numbers.NOUN, "answer"))
    return {
        CauseKind.RETRIEVAL: f"{questions} got other documents, or in another order",
        CauseKind.GENERATION: f"{answers} changed with the same documents",
        CauseKind.JUDGE: f"{answers} stayed the same and got another verdict",
        CauseKind.DATA: f"{questions} changed because a document was edited, renamed or removed",
        CauseKind.SYSTEM_ERROR: f"{questions} failed",
        CauseKind.DRIFT: f"{questions} changed on the provider's side",
    }.get(kind, f"{questions} changed for reasons that the outputs do not show")


def likely(report: Report) -> Diagnosis | None:
    """Return what explains all else, or what the pattern suggests where no cause is known."""
    if status_of(report) not in (ReportSign.RED, ReportSign.NO_DECISION):
        return None
    certain = next((row for row in report.diagnosis if row.certain), None)
    if certain is not None or report.origin.parts or report.story.told:
        return certain
    return next(iter(report.diagnosis), None)
