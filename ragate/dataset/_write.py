"""From samples to the rows of a JSON Lines file."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragate.dataset._rows import Entry
from ragate.models import SourcePolicy
from ragate.support.atomic_files import write_lines


def row_of(entry: Entry) -> dict[str, Any]:
    """Return a sample as it is written by hand: fields that say nothing are left out."""
    sample = entry.sample
    graded = any(grade != 1 for grade in sample.relevant.values())
    references: list[Any] = list(sample.references)
    references += [{"text": text, "draft": True} for text in entry.drafted]
    row = {
        "id": sample.id,
        "messages": sample.turns,
        "query": sample.query,
        "relevant": dict(sample.relevant) if graded else list(sample.relevant),
        "references": references,
        "answerable": "answerable" in entry.given,  # the value follows: false says something
        "tags": list(sample.tags),
        "must_pass": sample.must_pass,
        "metadata": dict(sample.metadata),
        "evidence": {
            doc_id: passage.model_dump(exclude_defaults=True)
            for doc_id, passage in sample.evidence.items()
        },
        "answer_keywords": [
            one[0] if len(one) == 1 else list(one) for one in sample.answer_keywords
        ],
        "source_policy": _policy(sample.source_policy),
        "draft": entry.draft,
    }
    filled = {name: value for name, value in row.items() if value}
    return {**filled, "answerable": sample.answerable} if "answerable" in filled else filled


def _policy(policy: SourcePolicy | None) -> Any:
    given = policy.model_dump(mode="json", exclude_defaults=True) if policy is not None else {}
    return given["form"] if list(given) == ["form"] else given


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows as JSON Lines and return their number.

    Raises:
        StorageError: it cannot be written; a file that was there is whole.
    """
    return write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows))
