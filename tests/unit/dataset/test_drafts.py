"""What nobody has accepted does not count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.core.hashing import content_hash
from ragate.dataset import inspect_entries, read_dataset, read_entries
from ragate.errors import DatasetError


def golden(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "golden.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


ASKED = {"id": "a", "query": "A?", "references": ["Yes."]}


def test_a_draft_sample_is_not_asked(tmp_path: Path) -> None:
    path = golden(tmp_path, ASKED, {"id": "b", "query": "B?", "draft": True})

    assert [sample.id for sample in read_dataset(path)] == ["a"]
    assert [entry.draft for entry in read_entries(path)] == [False, True]


def test_a_draft_reference_is_no_reference(tmp_path: Path) -> None:
    drafted = {"text": "Perhaps.", "draft": True, "model": "m"}
    path = golden(tmp_path, {"id": "b", "query": "B?", "references": [drafted, "Yes."]})

    (entry,) = read_entries(path)

    assert entry.sample.references == ("Yes.",)
    assert entry.drafted == ("Perhaps.",)


def test_a_draft_reference_leaves_the_hash_of_the_sample_as_it_was(tmp_path: Path) -> None:
    drafted = [{"text": "Perhaps.", "draft": True}]
    before = read_dataset(golden(tmp_path, {"id": "b", "query": "B?"}))[0]
    after = read_dataset(golden(tmp_path, {"id": "b", "query": "B?", "references": drafted}))[0]

    assert content_hash(before) == content_hash(after)


def test_an_accepted_reference_may_stay_an_object(tmp_path: Path) -> None:
    path = golden(tmp_path, {"id": "b", "query": "B?", "references": [{"text": "Yes."}]})

    assert read_dataset(path)[0].references == ("Yes.",)


def test_a_golden_set_of_drafts_alone_says_so(tmp_path: Path) -> None:
    path = golden(tmp_path, {"id": "b", "query": "B?", "draft": True})

    with pytest.raises(DatasetError, match="every sample is a draft") as error:
        read_dataset(path)

    assert "ragate dataset accept" in error.value.remedy


@pytest.mark.parametrize(
    ("references", "said"),
    [
        ([{"txt": "Yes."}], "unknown key 'txt'; did you mean 'text'?"),
        ([{"text": "Yes.", "draft": "maybe"}], "must be true or false"),
        ([{"draft": True}], "must be text"),
    ],
)
def test_a_wrong_reference_is_named(tmp_path: Path, references: Any, said: str) -> None:
    path = golden(tmp_path, {"id": "b", "query": "B?", "references": references})

    with pytest.raises(DatasetError) as error:
        read_dataset(path)

    assert said in error.value.message
    assert error.value.message.startswith(f"{path}:1: references = ")


def test_one_wrong_line_hides_no_other(tmp_path: Path) -> None:
    path = golden(tmp_path, "{", ASKED, {"id": "c"}, ASKED, {"id": "d", "query": "D?"})

    entries, errors = inspect_entries(path)

    assert [entry.sample.id for entry in entries] == ["a", "d"]
    assert [error.message.split(": ")[0].rpartition(":")[2] for error in errors] == ["1", "3", "4"]


def test_an_empty_golden_set_is_one_error(tmp_path: Path) -> None:
    entries, errors = inspect_entries(golden(tmp_path, ""))

    assert entries == []
    assert [error.message for error in errors] == [f"{tmp_path / 'golden.jsonl'}: no samples"]
