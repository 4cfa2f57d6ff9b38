"""What happened to the questions that got worse, in one sentence made of counts."""

from operator import itemgetter
from typing import NamedTuple

from ragate.models import CauseKind, ChangedPart, ChangeOrigin, Diagnosis, Report
from ragate.renderers._headline import TELLS_WHY, ReportSign, status_of
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._words import Name, Words, joined

MOST_CAUSES = 2


def story_words(report: Report, numbers: Numbers) -> Words:
    """Return ``65 questions lost their document, 24 now say "I don't know"; …``; empty of none.

    The causes stand with their counts, the most frequent first, so that none is named alone that
    most of the questions do not share.
    """
    story = report.story
    if not story.worse or status_of(report) in (ReportSign.BOOTSTRAP, ReportSign.UNCHANGED):
        return []
    counts = [(story.lost, _lost(story.lost, numbers))] if story.lost else []
    counts += [(n, _cause(kind, n, numbers)) for kind, n in story.causes.items()]
    counts.sort(key=itemgetter(0), reverse=True)
    clauses: list[Words] = [[words] for _, words in counts[:MOST_CAUSES]]
    if others := sum(count for count, _ in counts[MOST_CAUSES:]):
        clauses.append([f"{others:,} more changed otherwise"])
    if story.refused:
        verb = "says" if story.refused == 1 else "say"
        clauses.append([f"{story.refused:,} now {verb} “I don't know”"])
    if story.answered:
        questions = counted(story.answered, numbers.noun)
        verb = "gets" if story.answered == 1 else "get"
        clauses.append([f"{questions}, refused before, now {verb} an answer"])
    words = joined(clauses, ", ")
    if words and 0 < story.told < story.worse:
        words = [f"of the {story.told:,} worst ", *words]
    if words and (hardest := story.hardest) is not None:
        share = f" is hit hardest ({hardest.worse:,} of {hardest.of:,})"
        words = [*words, "; ", Name(hardest.tag), share]
    return words


def _lost(count: int, numbers: Numbers) -> str:
    return f"{counted(count, numbers.noun)} lost {'its' if count == 1 else 'their'} document"


def _cause(kind: CauseKind, count: int, numbers: Numbers) -> str:
    questions = counted(count, numbers.noun)
    return {
        CauseKind.RETRIEVAL: f"{questions} got other documents",
        CauseKind.GENERATION: f"{counted(count, 'answer')} changed with the same documents",
        CauseKind.JUDGE: f"{counted(count, 'answer')} stayed the same and got another verdict",
        CauseKind.DATA: f"{questions} changed because a document was edited, renamed or removed",
        CauseKind.SYSTEM_ERROR: f"{questions} failed",
        CauseKind.DRIFT: f"{questions} changed on the provider's side",
    }.get(kind, f"{questions} changed for reasons that the outputs do not show")


def likely(report: Report) -> Diagnosis | None:
    """Return what explains all else, or what the pattern suggests where no cause is known."""
    if status_of(report) not in (ReportSign.RED, *TELLS_WHY):
        return None
    certain = next((row for row in report.diagnosis if row.certain), None)
    if certain is not None or report.origin.parts or report.story.lost or report.story.causes:
        return certain
    return next(iter(report.diagnosis), None)


# What did it: the first parts, how many more, and how sure that is.


class ShownOrigin(NamedTuple):
    """The parts that are listed.

    Attributes:
        more: How many are not.
        alone: The one part is a cause: nothing else differs, and chance is ruled out.
    """

    parts: tuple[ChangedPart, ...]
    more: int
    alone: bool


def shown_origin(origin: ChangeOrigin, most: int) -> ShownOrigin:
    """Return at most so many parts; where more are known none of them alone did it."""
    parts = origin.parts[:most]
    more = origin.more + len(origin.parts) - len(parts)
    return ShownOrigin(parts, more, origin.alone and not more and len(parts) == 1)


def place_of(part: ChangedPart) -> str:
    """Return ``ragate.toml:79``, the file alone where no line is known, "" where no file is."""
    return f"{part.path}:{part.line}" if part.line else part.path
