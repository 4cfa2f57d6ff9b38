"""What is wrong, doubtful or worth knowing about a golden set."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from ragate.core.text.near_duplicates import near_duplicates
from ragate.core.text.quoted_passages import passage_hash
from ragate.dataset import Entry, inspect_entries
from ragate.pipeline.run.corpus_texts import Texts, stale_in
from ragate.support.settings import shown

SIMILAR = 0.8
MOST_COMPARED_NAMES = 2000
Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Issue:
    """One thing about one sample.

    Attributes:
        kind: ``schema``, ``unknown-document``, ``duplicate-query``, ``near-duplicate``,
            ``contradiction``, ``nothing-to-score``, ``stale-evidence`` or ``evidence``.
        place: file:line.
    """

    kind: str
    level: Level
    place: str
    message: str
    sample_id: str = ""
    remedy: str = ""


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


def validate(path: Path, texts: Texts | None, *, similar: float = SIMILAR) -> Validation:
    """Check a golden set.

    Args:
        texts: The corpus, where its texts are known.
        similar: Jaccard similarity from which two questions are called nearly the same.
    """
    entries, errors = inspect_entries(path)
    issues = [_of_error(path, error.message, error.remedy) for error in errors]
    if texts is not None:
        issues += _documents(entries, texts)
    issues += [*_duplicates(entries), *_near(entries, similar), *_labels(entries)]
    issues += _hashes(entries)
    return Validation(
        path=path,
        counts=_counts(entries),
        tags=dict(sorted(Counter(tag for one in entries for tag in one.sample.tags).items())),
        documents=None if texts is None else len(texts),
        issues=tuple(sorted(issues, key=lambda issue: issue.level)),
    )


def _of_error(path: Path, message: str, remedy: str) -> Issue:
    found = re.match(rf"({re.escape(str(path))}(?::\d+|: sample \d+)?): ", message)
    place = found[1] if found else str(path)
    return Issue("schema", "error", place, message[found.end() :] if found else message, "", remedy)


def _issue(kind: str, level: Level, entry: Entry, message: str, remedy: str) -> Issue:
    return Issue(kind, level, entry.place, message, entry.sample.id, remedy)


def _documents(entries: Sequence[Entry], texts: Texts) -> Iterator[Issue]:
    for entry in entries:
        for doc_id in sorted(entry.sample.expected - texts.keys()):
            message = f"expects {shown(doc_id)}, which is not in the corpus{_close(doc_id, texts)}"
            remedy = "`ragate dataset relink` proposes where it went"
            yield _issue("unknown-document", "error", entry, message, remedy)
        if stale := stale_in(entry.sample, texts):
            yield _issue(
                "stale-evidence",
                "warning",
                entry,
                f"the reference may be stale: {', '.join(stale)} no longer holds its passage",
                "read the sample again, then `ragate dataset evidence --ids "
                f"{entry.sample.id} --renew`",
            )


def _close(doc_id: str, texts: Texts) -> str:
    close = get_close_matches(doc_id, texts, n=1) if len(texts) <= MOST_COMPARED_NAMES else []
    return f"; did you mean {close[0]!r}?" if close else ""


def _key(entry: Entry) -> str:
    return " ".join(entry.sample.query.casefold().split())


def _duplicates(entries: Sequence[Entry]) -> Iterator[Issue]:
    by_query: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_query[_key(entry)].append(entry)
    for first, *others in by_query.values():
        for entry in others:
            yield _issue(
                "duplicate-query",
                "warning",
                entry,
                f"asks the same as {first.sample.id} ({first.place})",
                "remove one of the two: each counts as a question of its own",
            )


def _near(entries: Sequence[Entry], similar: float) -> Iterator[Issue]:
    once = list({_key(entry): entry for entry in reversed(entries)}.values())[::-1]
    for near in near_duplicates([entry.sample.query for entry in once], threshold=similar):
        first, second = once[near.earlier], once[near.later]
        yield _issue(
            "near-duplicate",
            "warning",
            second,
            f"asks nearly the same as {first.sample.id} ({first.place}), "
            f"similarity {near.similarity:.2f}",
            "keep both only where they are meant to differ",
        )


def _labels(entries: Iterable[Entry]) -> Iterator[Issue]:
    for entry in entries:
        sample = entry.sample
        labelled = bool(sample.expected or sample.references)
        if sample.answerable and not labelled and not entry.drafted:
            unsaid = "" if "answerable" in entry.given else ", and `answerable` is not set"
            yield _issue(
                "nothing-to-score",
                "warning",
                entry,
                f"has no expected document and no reference{unsaid}",
                "`ragate dataset suggest` proposes documents; set answerable to false where the "
                "corpus has no answer",
            )
        if not sample.answerable and labelled:
            yield _issue(
                "contradiction",
                "warning",
                entry,
                "is unanswerable, and has an expected document or a reference",
                "correct `answerable`, or remove them",
            )


def _hashes(entries: Iterable[Entry]) -> Iterator[Issue]:
    for entry in entries:
        sample = entry.sample
        for doc_id, evidence in sample.evidence.items():
            if doc_id not in sample.relevant:
                message = f"has evidence in {shown(doc_id)}, which is not among its documents"
                yield _issue(
                    "evidence", "warning", entry, message, "remove it, or add the document"
                )
            elif evidence.quote and evidence.hash not in {"", passage_hash(evidence.quote)}:
                message = f"the hash of the evidence in {doc_id} is not that of its quote"
                remedy = f"`ragate dataset evidence --ids {sample.id} --renew` records it anew"
                yield _issue("evidence", "warning", entry, message, remedy)


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
