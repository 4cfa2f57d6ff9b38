"""Lines that are not in our format, and what is proposed for them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import DatasetError
from ragate.outputs.foreign_lines import refuse_foreign, unsaid
from tests.unit.outputs.exports.exported import FILES, lines
from tests.unit.outputs.test_mapping import OWN


def refused(path: Path, value: Any) -> DatasetError:
    with pytest.raises(DatasetError) as raised:
        refuse_foreign(path, f"{path}:1", value)
    return raised.value


def test_a_line_without_answer_and_contexts_is_refused_with_its_fields_and_a_table_to_paste():
    path = FILES / "own_fields.jsonl"

    error = refused(path, {"ticket": {"text": "?"}, "result": {"text": "So.", "sources": []}})

    assert "own_fields.jsonl:1: neither `answer` nor `contexts` in this line" in error.message
    assert "it has /ticket/text, /result/text, /result/sources" in error.message
    table = error.remedy.partition("\n\n")[2]
    pointers = tomllib.loads(table)["system"]["pointers"]
    assert {key: pointers[key] for key in ("answer", "contexts", "scores")} == {
        key: OWN[key] for key in ("answer", "contexts", "scores")
    }


def test_the_export_of_a_known_tool_is_answered_with_its_preset(tmp_path: Path):
    row = {"user_input": "Why?", "response": "So.", "retrieved_contexts": []}

    error = refused(lines(tmp_path / "o.jsonl", row), row)

    assert 'preset = "ragas"' in error.remedy


def test_a_line_without_a_name_of_its_sample_is_refused(tmp_path: Path):
    row = {"prompt": "Why?", "answer": "So."}

    error = refused(lines(tmp_path / "o.jsonl", row), row)

    assert "neither `id` nor `question`" in error.message
    assert 'question = "/prompt"' in error.remedy


def test_where_nothing_can_be_guessed_the_page_is_named(tmp_path: Path):
    row = {"question": "Why?", "size": 3}

    assert "docs/replay.md" in refused(lines(tmp_path / "o.jsonl", row), row).remedy


@pytest.mark.parametrize(
    "more",
    [
        {"answer": "So."},
        {"answer": ""},
        {"contexts": []},
        {"chunks": []},
        {"error": "timeout"},
        {"tool_calls": []},
        {"anwser": "A slip is told as one."},
    ],
)
def test_a_line_that_says_one_thing_is_a_recorded_output(tmp_path: Path, more: dict[str, Any]):
    refuse_foreign(tmp_path / "o.jsonl", "here", {"id": "q", **more})


def test_what_a_system_returns_in_its_own_fields_is_told_with_pointers():
    told = unsaid({"result": "It is so.", "sources": [{"body": "A", "file": "a.md"}]})

    assert "neither `answer` nor `contexts`, but /result, /sources/*/body" in told
    assert 'answer = "/result", contexts = "/sources/*/body", ids = "/sources/*/file"' in told
    assert unsaid({"chunks": []}) == ""


def test_a_long_line_is_not_told_in_full(tmp_path: Path):
    row = {f"field{number}": number for number in range(500)}

    message = refused(lines(tmp_path / "o.jsonl", row), row).message

    assert "and 188 more" in message
    assert len(message) < 500
