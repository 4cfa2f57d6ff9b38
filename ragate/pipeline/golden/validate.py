"""What is wrong, doubtful or worth knowing about a golden set."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from ragate.core.conversation import conversation
from ragate.core.hashing import content_hash
from ragate.core.text.near_duplicates import near_duplicates
from ragate.core.text.quoted_passages import passage_hash
from ragate.dataset import Entry, inspect_entries
from ragate.models import ReviewLabel, ReviewVerdict
from ragate.pipeline.run.corpus_texts import Texts, stale_in
from ragate.support.settings import shown

SIMILAR = 0.8
MOST_COMPARED_NAMES = 2000
VARIANT_OF = "variant_of"
Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Issue:
    """One thing about one sample.

    Attributes:
        kind: ``schema``, ``unknown-document``, ``duplicate-query``, ``near-duplicate``,
            ``contradiction``, ``nothing-to-score``, ``stale-evidence``, ``stale-reference``,
            ``variant`` or ``evidence``.
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
    similar: float = SIMILAR,
    reviews: Sequence[ReviewLabel] = (),
) -> Validation:
    """Check a golden set.

    Args:
        texts: The corpus, where its texts are known.
        similar: Jaccard similarity from which two questions are called nearly the same.
        reviews: What people said of answers; those who called a reference stale are heard.
    """
    entries, errors = inspect_entries(path)
    issues = [of_error(path, error.message, error.remedy) for error in errors]
    if texts is not None:
        issues += missing_and_stale(entries, texts)
    issues += duplicates(entries)
    issues += near(entries, similar)
    issues += labels(entries)
    issues += variants(entries)
    issues += evidence(entries)
    issues += stale_references(entries, reviews)
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
        "with_evidence": sum(bool(sample.evidence) for sample in samples),
    }


# What can be wrong or doubtful about single samples of a golden set.


def of_error(path: Path, message: str, remedy: str) -> Issue:
    """Return what could not be read as an issue, at the line that its message names."""
    where = re.match(rf"({re.escape(str(path))}(?::\d+|: sample \d+)?): ", message)
    if where is None:
        return Issue("schema", "error", str(path), message, "", remedy)
    return Issue("schema", "error", where[1], message[where.end() :], "", remedy)


def _issue(
    kind: str, entry: Entry, message: str, remedy: str, *, level: Level = "warning"
) -> Issue:
    return Issue(kind, level, entry.place, message, entry.sample.id, remedy)


def missing_and_stale(entries: Sequence[Entry], texts: Texts) -> Iterator[Issue]:
    """Yield expected documents that are gone, and evidence that its document no longer holds."""
    for entry in entries:
        for doc_id in sorted(entry.sample.expected - texts.keys()):
            message = f"expects {shown(doc_id)}, which is not in the corpus{_close(doc_id, texts)}"
            remedy = "`ragate dataset relink` proposes where it went"
            yield _issue("unknown-document", entry, message, remedy, level="error")
        if stale := stale_in(entry.sample, texts):
            yield _issue(
                "stale-evidence",
                entry,
                f"the reference may be stale: {', '.join(stale)} no longer holds its passage",
                "read the sample again, then `ragate dataset evidence --ids "
                f"{entry.sample.id} --renew`",
            )


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
            if _vary_one(original, entry):
                continue  # in other capitals, or over passages that are arranged
            yield _issue(
                "duplicate-query",
                entry,
                f"asks the same as {original.sample.id} ({original.place})",
                "remove one of the two: each counts as a question of its own",
            )


def near(entries: Sequence[Entry], similar: float) -> Iterator[Issue]:
    """Yield questions that are nearly the same as one before them."""
    once = list({_key(entry): entry for entry in reversed(entries)}.values())[::-1]
    for pair in near_duplicates([conversation(entry.sample) for entry in once], threshold=similar):
        original, later = once[pair.earlier], once[pair.later]
        if _vary_one(original, later):
            continue
        yield _issue(
            "near-duplicate",
            later,
            f"asks nearly the same as {original.sample.id} ({original.place}), "
            f"similarity {pair.similarity:.2f}",
            "keep both only where they are meant to differ",
        )


def _vary_one(one: Entry, other: Entry) -> bool:
    """Tell whether one is a variant of the other, or both are of the same question."""
    varied = {each.sample.metadata.get(VARIANT_OF) or each.sample.id for each in (one, other)}
    return len(varied) == 1


def labels(entries: Iterable[Entry]) -> Iterator[Issue]:
    """Yield samples that nothing can be scored on, and such as contradict themselves."""
    for entry in entries:
        sample = entry.sample
        labelled = bool(sample.expected or sample.references)
        judged = labelled or sample.expected_calls is not None or bool(sample.answer_keywords)
        if sample.answerable and not judged and not entry.drafted:
            unsaid = "" if "answerable" in entry.given else ", and `answerable` is not set"
            yield _issue(
                "nothing-to-score",
                entry,
                f"has no expected document and no reference{unsaid}",
                "`ragate dataset suggest` proposes documents; set answerable to false where the "
                "corpus has no answer",
            )
        if not sample.answerable and labelled:
            yield _issue(
                "contradiction",
                entry,
                "is unanswerable, and has an expected document or a reference",
                "correct `answerable`, or remove them",
            )


def variants(entries: Sequence[Entry]) -> Iterator[Issue]:
    """Yield variants of a question that is not there: no metric can compare them."""
    ids = {entry.sample.id for entry in entries}
    for entry in entries:
        original = entry.sample.metadata.get(VARIANT_OF)
        if original and (str(original) not in ids or str(original) == entry.sample.id):
            message = f"is a variant of {shown(original)}, which is no other sample"
            remedy = "correct metadata.variant_of, or remove it"
            yield _issue("variant", entry, message, remedy)


def evidence(entries: Iterable[Entry]) -> Iterator[Issue]:
    """Yield evidence of a document that is not expected, or whose hash is another quote's."""
    for entry in entries:
        sample = entry.sample
        for doc_id, passage in sample.evidence.items():
            if doc_id not in sample.relevant:
                message = f"has evidence in {shown(doc_id)}, which is not among its documents"
                yield _issue("evidence", entry, message, "remove it, or add the document")
            elif passage.quote and passage.hash not in {"", passage_hash(passage.quote)}:
                message = f"the hash of the evidence in {doc_id} is not that of its quote"
                remedy = f"`ragate dataset evidence --ids {sample.id} --renew` records it anew"
                yield _issue("evidence", entry, message, remedy)


def stale_references(entries: Iterable[Entry], labels: Iterable[ReviewLabel]) -> Iterator[Issue]:
    """Yield samples that a reviewer called stale, as long as they stand as they were reviewed."""
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in labels:
        if label.verdict is ReviewVerdict.STALE_REFERENCE:
            told = f"{label.who}: {label.reason}" if label.reason else label.who
            said[label.id, label.sample].append(told)
    for entry in entries:
        if reasons := said.get((entry.sample.id, content_hash(entry.sample))):
            yield _issue(
                "stale-reference",
                entry,
                f"its reference is stale by a review ({'; '.join(dict.fromkeys(reasons))})",
                "mend the sample, which ends the finding; or take the label out of the reviews",
            )
