"""Recorded outputs in the user's own shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragate.errors import ConfigError, DatasetError
from ragate.outputs.mapping import RecordMapping, mapped_outputs, mapping_of
from ragate.outputs.recorded_output import RecordedOutput
from ragate.tables.cells import parsed_cell
from tests.unit.tables.formats.exported import ANSWERS, FILES, REFUNDS, lines

OWN = {
    "question": "/ticket/text",
    "answer": "/result/text",
    "contexts": "/result/sources/*/body",
    "ids": "/result/sources/*/file",
    "scores": "/result/sources/*/similarity",
}
SIMPLE = {"id": "/n", "answer": "/out/text"}


def mapped(path: Path, **pointers: str) -> list[RecordedOutput]:
    mapping = RecordMapping.model_validate({"pointers": pointers})
    return [output for _, output in mapped_outputs(path, mapping)]


def refused(path: Path, **pointers: str) -> DatasetError:
    with pytest.raises(DatasetError) as raised:
        mapped(path, **pointers)
    return raised.value


def line(number: int, text: Any = "Yes.") -> dict[str, Any]:
    return {"n": number, "out": {"text": text}}


def test_lines_in_their_own_fields_are_read_by_pointers():
    first, second = mapped(FILES / "own_fields.jsonl", **OWN)

    assert (first.question, first.answer) == (REFUNDS, ANSWERS[REFUNDS])
    assert [chunk.doc_id for chunk in first.chunks] == ["refunds.md", "warranty.txt"]
    assert [chunk.score for chunk in first.chunks] == [0.91, 0.33]
    assert [chunk.text for chunk in second.chunks] == ["We pay for shipping inside the country."]


def test_a_line_without_a_pointer_to_its_sample_is_named_by_its_own_id_and_question(tmp_path: Path):
    path = lines(tmp_path / "o.jsonl", {"id": 7, "query": "Why?", "text": "So."})

    (output,) = mapped(path, answer="/text")

    assert (output.id, output.question, output.answer) == ("7", "Why?", "So.")


def test_pointers_that_fit_half_of_the_lines_say_how_many_and_which(tmp_path: Path):
    rows = [line(n) if n % 2 else {"n": n, "output": {"text": "Yes."}} for n in range(1, 7)]

    error = refused(lines(tmp_path / "o.jsonl", *rows), **SIMPLE)

    assert "o.jsonl:2: [system.pointers] /out/text leads nowhere" in error.message
    assert "did you mean 'output'?" in error.message
    assert "this line has /n, /output/text" in error.message
    assert "(3 of 6 lines do not fit; the next: 4, 6)" in error.message
    assert "one shape" in error.remedy


def test_a_line_that_tells_a_failure_needs_nothing_else(tmp_path: Path):
    rows = [line(1) | {"failure": None}, {"n": 2, "failure": "timeout"}]

    good, bad = mapped(lines(tmp_path / "o.jsonl", *rows), **SIMPLE, error="/failure")

    assert (good.answer, good.error) == ("Yes.", None)
    assert bad.error is not None
    assert (bad.error.kind, bad.error.message) == ("system", "timeout")


def test_an_answer_of_null_alone_is_no_output(tmp_path: Path):
    error = refused(lines(tmp_path / "o.jsonl", line(1, None)), **SIMPLE)

    assert "/out/text leads to null" in error.message


@pytest.mark.parametrize(("value", "texts"), [(None, []), ("A", ["A"]), ([], []), (["A"], ["A"])])
def test_null_is_no_passage_and_a_text_is_one(tmp_path: Path, value: Any, texts: list[str]):
    path = lines(tmp_path / "o.jsonl", line(1) | {"docs": value})

    (output,) = mapped(path, **SIMPLE, contexts="/docs")

    assert [chunk.text for chunk in output.chunks] == texts


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (line(1, 3), "answer = 3: Input should be a valid string"),
        (line(1) | {"n": ""}, "id = '/n' leads to what names no sample"),
        (line(1) | {"n": {}}, "id = '/n' leads to what names no sample"),
    ],
)
def test_a_value_of_another_kind_is_named(tmp_path: Path, row: dict[str, Any], told: str):
    assert told in refused(lines(tmp_path / "o.jsonl", row), **SIMPLE).message


def test_another_number_of_ids_than_of_passages_is_refused(tmp_path: Path):
    path = lines(tmp_path / "o.jsonl", line(1) | {"docs": ["A", "B"], "ids": ["a"]})

    error = refused(path, **SIMPLE, contexts="/docs", ids="/ids")

    assert "differ in length: text 2, doc_id 1" in error.message


def test_a_list_inside_of_a_json_file_is_read(tmp_path: Path):
    path = tmp_path / "o.json"
    path.write_text('{"run": {"rows": [{"n": 1, "out": {"text": "Yes."}}]}}')

    (output,) = mapped(path, **SIMPLE, records="/run/rows")

    assert output.answer == "Yes."
    assert "must hold a list" in refused(path, **SIMPLE).message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.csv", "n,text,docs\n1,Yes.,\"['A', 'B']\"\n"),
        ("o.tsv", "n\ttext\tdocs\n1\tYes.\t['A', 'B']\n"),
    ],
)
def test_lists_in_the_cells_of_a_table_are_lists(tmp_path: Path, name: str, text: str):
    path = tmp_path / name
    path.write_text(text)

    (output,) = mapped(path, id="/n", answer="/text", contexts="/docs")

    assert [chunk.text for chunk in output.chunks] == ["A", "B"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"preset": "ragass"}, "unknown preset 'ragass'; did you mean 'ragas'?"),
        ({"preset": "ragas", "pointers": {"answer": "/a"}}, "preset or pointers, not both"),
        ({"pointers": {"id": "/a"}}, "need answer, contexts or ids"),
        ({"pointers": {"answer": "a"}}, 'a JSON pointer begins with "/"'),
        ({"pointers": {"anwser": "/a"}}, "did you mean 'answer'?"),
    ],
)
def test_a_mapping_that_is_none_is_told_by_its_key(settings: dict[str, Any], told: str):
    with pytest.raises(ConfigError) as raised:
        mapping_of(settings)

    assert told in raised.value.message


def test_an_export_without_answers_is_no_recording(tmp_path: Path):
    mapping = RecordMapping(preset="langfuse")

    with pytest.raises(DatasetError, match="record 1: neither an answer nor contexts"):
        list(mapped_outputs(FILES / "langfuse_dataset_items.json", mapping))


NAMES = st.sampled_from(["a", "b", "a/b", "~", "0", "*", ""])
ROWS = st.lists(
    st.dictionaries(
        NAMES, st.none() | st.text(max_size=3) | st.lists(st.text(max_size=2)), max_size=3
    ),
    min_size=1,
    max_size=4,
)


@given(
    ROWS,
    st.sampled_from(["/a", "/a~1b", "/~0", "/0", "/", "/*"]),
    st.sampled_from(["", "/b", "/b/*"]),
)
def test_every_line_is_read_or_the_file_is_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], answer: str, contexts: str
):
    path = lines(tmp_path_factory.mktemp("o") / "o.jsonl", *({**row, "n": 1} for row in rows))
    try:
        outputs = mapped(path, id="/n", answer=answer, contexts=contexts)
    except DatasetError as error:
        assert f"of {len(rows)} lines do not fit" in error.message  # noqa: PT017 - either is right
    else:
        assert len(outputs) == len(rows)
        assert all(output.answer is not None or contexts for output in outputs)


def test_a_preset_is_checked_where_the_mapping_is_made():
    with pytest.raises(ValidationError):
        RecordMapping(preset="csv")


def test_a_text_that_only_looks_like_a_list_stays_a_text():
    assert parsed_cell("[1] says so") == "[1] says so"
