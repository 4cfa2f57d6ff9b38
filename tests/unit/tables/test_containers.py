"""Files of records that other tools wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import DatasetError
from ragate.tables.cells import parsed_cell
from ragate.tables.containers import open_container, records


def read(path: Path, content: str, **more: Any) -> list[tuple[str, Any]]:
    path.write_text(content)
    return [
        (where.removeprefix(str(path)), row)
        for where, row in records(path, error=DatasetError, **more)
    ]


def test_lines_lists_columns_and_tables_are_the_same_records(tmp_path: Path):
    rows = [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]

    for name, content in {
        "o.jsonl": '{"a": "1", "b": "x"}\n\n{"a": "2", "b": "y"}\n',
        "o.json": '[{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]',
        "columns.json": '{"a": {"0": "1", "1": "2"}, "b": {"0": "x", "1": "y"}}',
        "o.csv": "a,b\n1,x\n2,y\n",
    }.items():
        assert [row for _, row in read(tmp_path / name, content)] == rows


def test_records_are_named_by_line_or_by_number(tmp_path: Path):
    assert [where for where, _ in read(tmp_path / "o.jsonl", "{}\n\n{}\n")] == [":1", ":3"]
    assert [where for where, _ in read(tmp_path / "o.json", "[{}, {}]")] == [
        ": record 1",
        ": record 2",
    ]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("o.docx", "x", "no reader for '.docx'; known: .jsonl, .ndjson, .json, .csv"),
        ("o.json", '{"a": 1}', "must hold a list of objects, and has a"),
        ("o.json", "[1]", "record 1: 1: must be an object"),
        ("o.csv", "a,b\n1\n", "o.csv:2: 1 cells, and the header has 2"),
        ("o.jsonl", "{}\n{", "o.jsonl:2: not JSON"),
    ],
)
def test_what_is_no_record_is_named(tmp_path: Path, name: str, content: str, told: str):
    with pytest.raises(DatasetError) as raised:
        read(tmp_path / name, content)

    assert told in raised.value.message


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a"]', ["a"]),
        ("['a', \"it's\"]", ["a", "it's"]),
        ("{'a': None}", {"a": None}),
        ("[1] says so", "[1] says so"),
        ("[__import__('os')]", "[__import__('os')]"),
        ("", ""),
        (3, 3),
    ],
)
def test_a_cell_holds_a_list_as_json_or_python_write_it(cell: Any, value: Any):
    assert parsed_cell(cell) == value


@given(st.lists(st.text()))
def test_lists_come_back_from_a_cell_as_python_wrote_them(items: list[str]):
    assert parsed_cell(str(items)) == items


@given(st.text(alphabet="[]{}'\",:1a\\", max_size=20))
def test_any_cell_is_read_or_left_as_it_is(cell: str):
    assert parsed_cell(cell) == cell or isinstance(parsed_cell(cell), list | dict)


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        ("['Kept for 30'\n 'days of grace']", ["Kept for 30", "days of grace"]),
        ("array(['x', 'y'], dtype=object)", ["x", "y"]),
        ("[1 2 3]", [1, 2, 3]),
        ("['one']", ["one"]),
        ("['a', 'b']", ["a", "b"]),
        ("[]", []),
    ],
)
def test_a_list_is_split_as_numpy_pandas_or_python_wrote_it(cell: str, items: list[object]) -> None:
    assert parsed_cell(cell) == items


@pytest.mark.parametrize(
    "above",
    ["Evaluation of our bot\n", "Our bot: run 3 of May;;\n\n", "Our bot\nwritten in May\n;;\n"],
)
def test_a_title_above_the_header_is_no_header(tmp_path: Path, above: str) -> None:
    path = tmp_path / "golden.csv"
    path.write_text(f"{above}id;question;expected\na;What?;x\n")

    (where, row), *more = records(path, error=DatasetError)

    assert row == {"id": "a", "question": "What?", "expected": "x"}
    assert (where, more) == (f"{path}:{above.count(chr(10)) + 2}", [])


def test_a_table_of_one_column_has_no_title(tmp_path: Path) -> None:
    path = tmp_path / "golden.csv"
    path.write_text("question\nWhat is an id, a question?\nWhere?\n")

    with pytest.raises(DatasetError, match="2 cells, and the header has 1"):
        list(records(path, error=DatasetError))


def test_a_file_named_for_lines_may_have_a_single_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"id": "a", "faithfulness": 0.9}\n')
    listed = tmp_path / "listed.jsonl"
    listed.write_text('{"results": [{"id": "a"}]}\n')

    assert open_container(path, any_name=True).kind == "lines"
    assert open_container(listed, any_name=True).kind == "value"
