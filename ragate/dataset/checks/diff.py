"""Two golden sets held against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragate.core.comparison.sample_matching import renamed_ids
from ragate.core.hashing import content_hash
from ragate.dataset import Entry


@dataclass(frozen=True)
class FieldChange:
    """One field of one sample, before and after."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class SampleChange:
    """A sample that both have, and that differs.

    Attributes:
        rescored: The old scores no longer count for it.
        labels: Documents by what became of them: ``added``, ``removed``, ``regraded``.
    """

    sample_id: str
    changes: tuple[FieldChange, ...]
    rescored: bool
    labels: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class SetDiff:
    """What differs between two golden sets, A before and B after."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: dict[str, str]
    edited: tuple[SampleChange, ...]
    unchanged: int


def diff(before: Sequence[Entry], after: Sequence[Entry]) -> SetDiff:
    """Compare by id, and by content where only the id is another; their order does not count."""
    old = {entry.sample.id: entry for entry in before}
    new = {entry.sample.id: entry for entry in after}
    shared_ids = [sample_id for sample_id in old if sample_id in new]
    changes = [_changed(old[sample_id], new[sample_id]) for sample_id in shared_ids]
    edited = tuple(change for change in changes if change.changes)
    contents = {sample_id: content_hash(entry.sample) for sample_id, entry in old.items()}
    renamed = renamed_ids(contents, {key: content_hash(new[key].sample) for key in new})
    new_ids = set(renamed.values())
    return SetDiff(
        added=tuple(key for key in new if key not in old and key not in new_ids),
        removed=tuple(key for key in old if key not in new and key not in renamed),
        renamed=renamed,
        edited=edited,
        unchanged=len(shared_ids) - len(edited),
    )


def _changed(old: Entry, new: Entry) -> SampleChange:
    old_values, new_values = _values(old), _values(new)
    before, after = old.sample.relevant, new.sample.relevant
    labels = {
        "added": tuple(doc_id for doc_id in after if doc_id not in before),
        "removed": tuple(doc_id for doc_id in before if doc_id not in after),
        "regraded": tuple(
            f"{doc_id} {before[doc_id]} to {grade}"
            for doc_id, grade in after.items()
            if doc_id in before and before[doc_id] != grade
        ),
    }
    return SampleChange(
        sample_id=old.sample.id,
        changes=tuple(
            FieldChange(name, value, new_values[name])
            for name, value in old_values.items()
            if value != new_values[name]
        ),
        rescored=content_hash(old.sample) != content_hash(new.sample),
        labels={kind: docs for kind, docs in labels.items() if docs},
    )


def _values(entry: Entry) -> dict[str, Any]:
    values = entry.sample.model_dump(mode="json", exclude={"id"})
    return {**values, "draft": entry.draft, "draft references": list(entry.drafted)}
