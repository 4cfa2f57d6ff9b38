"""What is wrong, doubtful or worth knowing about a golden set."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from ragate.answers.corpus_texts import Texts
from ragate.core.conversation import conversation
from ragate.core.text.near_duplicates import near_duplicates
from ragate.dataset import Entry, inspect_entries
from ragate.settings import shown

SIMILAR = 0.8
MOST_COMPARED_NAMES = 2000
Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Issue:
    """One thing about one sample.

    Attributes:
        kind: ``schema``, ``unknown-document``, ``duplicate-query``, ``near-duplicate``,
            ``contradiction``, ``nothing-to-score`` or ``stale-reference``.
        place: file:line.
    """

    kind: str
    level: Level
    place: str
    message: str
    sample_id: str
    remedy: str


@dataclass(frozen=True)
class Validation:
    """All issues of one golden set, and what it holds.

    Attributes:
        documents: Documents of the corpus; None where the system does not tell them.
    """

    path: Path
    counts: dict[str, int]
    tags: dict[str, int]
    documents: int | None
    issues: tuple[Issue, ...]

    @property
    def errors(self) -> int:
        return sum(issue.level == "error" for issue in self.issues)

    @property
    def warnings(self) -> int:
        return len(self.issues) - self.errors


def validate(
    path: Path,
    texts: Texts | None,
    *,
    more: Sequence[Callable[[Sequence[Entry]], Iterable[Issue]]] = (),
) -> Validation:
    """Check a golden set.

    Args:
        texts: The corpus, where its texts are known.
        more: What finds further issues.
    """
    entries, errors = inspect_entries(path)
    issues = [of_error(path, error.message, error.remedy) for error in errors]
    if texts is not None:
        issues += missing(entries, texts)
    issues += duplicates(entries)
    issues += near(entries)
    issues += labels(entries)
    for find in more:
        issues += find(entries)
    return Validation(
        path=path,
        counts=_counts(entries),
        tags=dict(sorted(Counter(tag for entry in entries for tag in entry.sample.tags).items())),
        documents=None if texts is None else len(texts),
        issues=tuple(sorted(issues, key=lambda issue: issue.level)),
    )


def _counts(entries: Sequence[Entry]) -> dict[str, int]:
    samples = [entry.sample for entry in entries]
    return {
        "samples": len(samples),
        "drafts": sum(entry.draft for entry in entries),
        "draft_references": sum(len(entry.drafted) for entry in entries),
        "unanswerable": sum(not sample.answerable for sample in samples),
        "answerable_not_set": sum("answerable" not in entry.given for entry in entries),
        "must_pass": sum(sample.must_pass for sample in samples),
        "without_expected_documents": sum(
            sample.answerable and not sample.expected for sample in samples
        ),
        "without_references": sum(
            sample.answerable and not sample.references for sample in samples
        ),
        "without_tags": sum(not sample.tags for sample in samples),
    }


# What can be wrong or doubtful about single samples of a golden set.


def of_error(path: Path, message: str, remedy: str) -> Issue:
    """Return what could not be read as an issue, at the line that its message names."""
    where = re.match(rf"({re.escape(str(path))}(?::\d+|: sample \d+)?): ", message)
    if where is None:
        return Issue("schema", "error", str(path), message, "", remedy)
    return Issue("schema", "error", where[1], message[where.end() :], "", remedy)


def issue_of(
    kind: str, entry: Entry, message: str, remedy: str, *, level: Level = "warning"
) -> Issue:
    return Issue(kind, level, entry.place, message, entry.sample.id, remedy)


def missing(entries: Sequence[Entry], texts: Texts) -> Iterator[Issue]:
    """Yield expected documents that are gone."""
    for entry in entries:
        for doc_id in sorted(entry.sample.expected - texts.keys()):
            message = f"expects {shown(doc_id)}, which is not in the corpus{_close(doc_id, texts)}"
            remedy = "`ragate dataset relink` proposes where it went"
            yield issue_of("unknown-document", entry, message, remedy, level="error")


def _close(doc_id: str, texts: Texts) -> str:
    close = get_close_matches(doc_id, texts, n=1) if len(texts) <= MOST_COMPARED_NAMES else []
    return f"; did you mean {close[0]!r}?" if close else ""


def _key(entry: Entry) -> str:
    return " ".join(conversation(entry.sample).casefold().split())


def duplicates(entries: Sequence[Entry]) -> Iterator[Issue]:
    """Yield questions that are asked twice."""
    by_query: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_query[_key(entry)].append(entry)
    for original, *repeats in by_query.values():
        for entry in repeats:
            yield issue_of(
                "duplicate-query",
                entry,
                f"asks the same as {original.sample.id} ({original.place})",
                "remove one of the two: each counts as a question of its own",
            )


def near(entries: Sequence[Entry]) -> Iterator[Issue]:
    """Yield questions that are nearly the same as one before them."""
    once = list({_key(entry): entry for entry in reversed(entries)}.values())[::-1]
    for pair in near_duplicates([conversation(entry.sample) for entry in once], threshold=SIMILAR):
        original, later = once[pair.earlier], once[pair.later]
        yield issue_of(
            "near-duplicate",
            later,
            f"asks nearly the same as {original.sample.id} ({original.place}), "
            f"similarity {pair.similarity:.2f}",
            "keep both only where they are meant to differ",
        )


def labels(entries: Iterable[Entry]) -> Iterator[Issue]:
    """Yield samples that nothing can be scored on, and such as contradict themselves."""
    for entry in entries:
        sample = entry.sample
        labelled = bool(sample.expected or sample.references)
        judged = labelled or sample.expected_calls is not None or bool(sample.answer_keywords)
        if sample.answerable and not judged and not entry.drafted:
            unsaid = "" if "answerable" in entry.given else ", and `answerable` is not set"
            yield issue_of(
                "nothing-to-score",
                entry,
                f"has no expected document and no reference{unsaid}",
                "`ragate dataset suggest` proposes documents; set answerable to false where the "
                "corpus has no answer",
            )
        if not sample.answerable and labelled:
            yield issue_of(
                "contradiction",
                entry,
                "is unanswerable, and has an expected document or a reference",
                "correct `answerable`, or remove them",
            )
