"""Projects whose golden set is labelled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.dataset import read_dataset


def golden(project: Path) -> bytes:
    return (project / "golden.jsonl").read_bytes()


def unlabel(project: Path) -> bytes:
    """Take the labels away and return the bytes of the golden set."""
    rows = [json.loads(line) for line in golden(project).splitlines()]
    lines = [json.dumps({k: v for k, v in row.items() if k != "relevant"}) for row in rows]
    (project / "golden.jsonl").write_text("\n".join(lines) + "\n")
    return golden(project)


def labels(project: Path) -> dict[str, dict[str, int]]:
    return {one.id: dict(one.relevant) for one in read_dataset(project / "golden.jsonl")}


def found(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def drafts(project: Path) -> bytes:
    rows = [
        '{"id": "a",  "query": "A?", "references": [{"text": "Yes.", "draft": true}, "No."]}',
        '{"id":"b","draft":true,"query":"B?"}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]
    (project / "golden.jsonl").write_text("\n".join(rows) + "\n")
    return golden(project)
