"""Writing a golden set: samples as rows of a JSON Lines file."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragate.dataset._rows import Entry
from ragate.files.atomic_files import write_lines
from ragate.models import ExpectedCall, SourcePolicy


def row_of(entry: Entry) -> dict[str, Any]:
    """Return a sample as it is written by hand: fields that say nothing are left out."""
    sample = entry.sample
    graded = any(grade != 1 for grade in sample.relevant.values())
    drafted = [{"text": text, "draft": True} for text in entry.drafted]
    row = {
        "id": sample.id,
        "messages": sample.turns,
        "query": sample.query,
        "relevant": dict(sample.relevant) if graded else list(sample.relevant),
        "references": [*sample.references, *drafted],
        "answerable": "answerable" in entry.given,  # the value follows: false says something
        "tags": list(sample.tags),
        "must_pass": sample.must_pass,
        "metadata": dict(sample.metadata),
        "answer_keywords": [
            one[0] if len(one) == 1 else list(one) for one in sample.answer_keywords
        ],
        "source_policy": _policy(sample.source_policy),
        "tools": [tool.model_dump(mode="json") for tool in sample.tools],
        "draft": entry.draft,
    }
    filled = {name: value for name, value in row.items() if value}
    if "answerable" in filled:
        filled["answerable"] = sample.answerable
    if sample.expected_calls is not None:  # an empty list says something too
        filled["expected_calls"] = [_call(call) for call in sample.expected_calls]
    return filled


def _call(call: ExpectedCall) -> dict[str, Any]:
    return {"arguments": {}} | call.model_dump(mode="json", exclude_defaults=True)


def _policy(policy: SourcePolicy | None) -> Any:
    given = policy.model_dump(mode="json", exclude_defaults=True) if policy is not None else {}
    return given["form"] if list(given) == ["form"] else given


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows as JSON Lines and return their number.

    Raises:
        StorageError: it cannot be written; a file that was there is whole.
    """
    return write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows))
