"""Files of the Berkeley Function Calling Leaderboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importing import Import, import_golden
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from tests.unit.metrics.metric_factories import data_folder

TOOL = {"name": "math.sum", "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}}}
ROW: dict[str, Any] = {
    "id": "simple_0",
    "question": [[{"role": "user", "content": "1 + 1?"}]],
    "function": [TOOL],
}


def bring(folder: Path, *rows: Any, answers: Any = ()) -> tuple[Import, list[Any]]:
    (folder / "possible_answer").mkdir()
    for place, lines in (("BFCL.json", rows), ("possible_answer/BFCL.json", answers)):
        (folder / place).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = import_golden("bfcl", folder / "BFCL.json", folder / "golden.jsonl", texts=None)
    return found, list(read_dataset(folder / "golden.jsonl"))


def test_the_right_calls_stand_in_the_file_beside_it(tmp_path: Path) -> None:
    truth = {"id": "simple_0", "ground_truth": [{"math.sum": {"a": [1, 2]}}]}

    _, [sample] = bring(tmp_path, ROW, answers=[truth])

    assert (sample.id, sample.query) == ("simple_0", "1 + 1?")
    assert sample.tools[0].parameters["properties"] == {"a": {"type": "number"}}
    [call] = sample.expected_calls
    assert call.accepted == {"a": (1, 2)}


@pytest.mark.parametrize(
    ("accepted", "right"), [([], []), ([{"b": []}], {"b": []}), ([[{"b": []}]], [{"b": []}])]
)
def test_where_no_value_is_accepted_the_empty_list_is_right(
    tmp_path: Path, accepted: Any, right: Any
) -> None:
    _, [sample] = bring(tmp_path, ROW | {"ground_truth": [{"math.sum": {"a": accepted}}]})

    [call] = sample.expected_calls
    assert call.accepted == {"a": (right,)}
    assert call.optional == ()


def test_an_empty_ground_truth_means_that_no_call_is_right(tmp_path: Path) -> None:
    _, [sample] = bring(tmp_path, ROW | {"ground_truth": []})

    assert sample.expected_calls == ()


def test_irrelevance_means_that_no_call_is_right(tmp_path: Path) -> None:
    _, [sample] = bring(tmp_path, ROW | {"id": "irrelevance_0", "ground_truth": None})

    assert sample.expected_calls == ()


def test_without_right_calls_nothing_is_made_up(tmp_path: Path) -> None:
    found, [sample] = bring(tmp_path, ROW)

    assert sample.expected_calls is None
    assert any("without right calls" in note for note in found.notes)


def test_conversations_of_several_turns_are_left_out_and_told(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, ROW, ROW | {"question": ROW["question"] * 2})

    assert len(samples) == 1
    assert any("left out: a conversation" in note for note in found.notes)


@pytest.mark.parametrize("row", [[], {"id": "x"}, ROW | {"function": [5]}])
def test_what_is_no_row_of_it_is_told_with_its_place(tmp_path: Path, row: Any) -> None:
    with pytest.raises(DatasetError, match=r"BFCL.json"):
        bring(tmp_path, row)


@pytest.mark.parametrize(("file", "count"), [("simple_python", 400), ("irrelevance", 240)])
def test_the_leaderboards_own_files_are_read(tmp_path: Path, file: str, count: int) -> None:
    path = data_folder("bfcl") / f"{file}.jsonl"

    found = import_golden("bfcl", path, tmp_path / "golden.jsonl", texts=None)

    calls = [sample.expected_calls for sample in read_dataset(tmp_path / "golden.jsonl")]
    assert found.samples == count
    assert all(made is not None and bool(made) is (file != "irrelevance") for made in calls)
