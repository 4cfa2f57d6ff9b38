"""What is wrong, doubtful or worth knowing about a golden set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.dataset import Entry, inspect_entries
from ragate.models import ReviewLabel
from ragate.pipeline.golden import golden_issues
from ragate.pipeline.golden.golden_issues import Issue
from ragate.pipeline.run.corpus_texts import Texts

SIMILAR = 0.8


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
    issues = [golden_issues.of_error(path, error.message, error.remedy) for error in errors]
    if texts is not None:
        issues += golden_issues.missing_and_stale(entries, texts)
    issues += golden_issues.duplicates(entries)
    issues += golden_issues.near(entries, similar)
    issues += golden_issues.labels(entries)
    issues += golden_issues.variants(entries)
    issues += golden_issues.evidence(entries)
    issues += golden_issues.stale_references(entries, reviews)
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
