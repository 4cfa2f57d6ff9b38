"""Whatever a file of labels holds, it is read or refused with an error of ours."""

from __future__ import annotations

from pathlib import Path

from ragate.contrib.labels.labels import read_labels
from tests.unit.readers.mutation import json_lines, only_our_errors

LABELS = [
    {
        "query": "What?",
        "answer": "This.",
        "contexts": ["x"],
        "references": ["This."],
        "criterion": "correctness",
        "label": 4,
    }
]


def test_no_file_leads_to_an_error_that_is_not_ours(tmp_path: Path) -> None:
    only_our_errors("labels", read_labels, LABELS, json_lines, tmp_path / "file.jsonl")


def test_the_file_that_is_changed_is_a_good_one(tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_bytes(json_lines(LABELS))

    read_labels(tmp_path / "file.jsonl")
