"""Golden sets that hold recorded outputs beside their samples, and fields that could be either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.outputs.mapping import RecordMapping
from ragate.systems.replay import read_recordings
from tests.unit.dataset.row_factories import error_of, read, rows

ONE_FILE = Path(__file__).parents[2] / "fixtures" / "recorded_outputs" / "one_file.json"


def test_one_file_is_golden_set_and_outputs() -> None:
    samples = read_dataset(ONE_FILE)
    recordings = read_recordings([ONE_FILE], RecordMapping())

    assert [sample.references for sample in samples] == [("Ten days.",), ("We do.",)]
    answers = [kept.read().answer for sample in samples for kept in recordings.of(sample)]
    assert answers == ["Ten days at most.", "We do, inside the country."]


@pytest.mark.parametrize(
    "recorded",
    [
        {"answer": "x", "contexts": ["y"]},
        {"contexts": []},
        {"chunks": [{"doc_id": "a.md"}], "latency": 1.5, "citations": [1]},
        {"answer": "x", "reference": "z"},
        {"answer": None},
    ],
)
def test_an_output_beside_a_sample_leaves_the_sample_as_it_is(
    tmp_path: Path, recorded: dict[str, Any]
) -> None:
    bare = {"id": "a", "query": "Why?", "reference": recorded.get("reference", "z")}

    assert read(tmp_path, "g.jsonl", rows({**bare, **recorded})) == read(
        tmp_path, "g.jsonl", rows(bare)
    )


def test_an_answer_alone_could_be_either_and_is_refused(tmp_path: Path) -> None:
    error = error_of(tmp_path, "g.jsonl", rows({"id": "a", "query": "Why?", "answer": "So."}))

    assert "'answer' is a recorded output" in error
    assert "under 'references'" in error


@pytest.mark.parametrize("name", ["expected_answer", "expected_output"])
def test_names_of_other_tools_for_a_reference_are_known(tmp_path: Path, name: str) -> None:
    (sample,) = read(tmp_path, "g.jsonl", rows({"id": "a", "query": "Why?", name: "So."}))

    assert sample.references == ("So.",)


def test_an_answer_under_expected_is_not_taken_for_a_document(tmp_path: Path) -> None:
    error = error_of(
        tmp_path, "g.jsonl", rows({"id": "a", "query": "Why?", "expected": "It is so."})
    )

    assert "reads like an answer" in error


def test_an_answer_in_the_column_expected_is_not_taken_for_a_document(tmp_path: Path) -> None:
    path = tmp_path / "golden.csv"
    path.write_text("id,question,expected\na,Why?,It is so.\n")

    with pytest.raises(DatasetError, match=r"golden\.csv:2: expected = .*reads like an answer"):
        read_dataset(path)


def test_a_document_with_a_title_for_its_id_stays_one(tmp_path: Path) -> None:
    (sample,) = read(
        tmp_path, "g.jsonl", rows({"id": "a", "query": "Why?", "expected": "Who is it for"})
    )

    assert sample.expected == {"Who is it for"}
