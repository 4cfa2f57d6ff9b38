"""References that a person called stale, found in a golden set."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ragate.contrib.labels.labels import labels_beside, read_review_labels
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict
from ragate.core.hashing import content_hash
from ragate.dataset import Entry
from ragate.dataset.checks.validate import Issue, issue_of


def find(dataset: Path, given: Path | None, entries: Sequence[Entry]) -> Iterator[Issue]:
    """Yield what the labels of a file, by default the one beside the golden set, call stale."""
    beside = labels_beside(dataset)
    path = given or (beside if beside.is_file() else None)
    if path is not None:
        yield from stale_references(entries, read_review_labels(path))


def stale_references(entries: Iterable[Entry], labels: Iterable[ReviewLabel]) -> Iterator[Issue]:
    """Yield samples that a reviewer called stale, as long as they stand as they were reviewed."""
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in labels:
        if label.verdict is ReviewVerdict.STALE_REFERENCE:
            told = f"{label.who}: {label.reason}" if label.reason else label.who
            said[label.id, label.sample].append(told)
    for entry in entries:
        if reasons := said.get((entry.sample.id, content_hash(entry.sample))):
            yield issue_of(
                "stale-reference",
                entry,
                f"its reference is stale by a review ({'; '.join(dict.fromkeys(reasons))})",
                "mend the sample, which ends the finding; or take the label out of the reviews",
            )
