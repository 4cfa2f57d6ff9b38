"""Golden sets as CSV."""

from __future__ import annotations

from pathlib import Path

from ragate.models import Sample
from tests.unit.dataset.row_factories import read, rows


def test_null_and_empty_cells_are_no_value(tmp_path: Path) -> None:
    nothing = {"id": "q", "query": "x", "reference": None, "relevant": None, "tags": None}

    assert read(tmp_path, "a.jsonl", rows(nothing)) == [Sample(id="q", query="x")]
    assert read(tmp_path, "a.csv", "id,query,reference,tags\nq,x,,\n") == [
        Sample(id="q", query="x")
    ]
    assert read(tmp_path, "a.yaml", "- {id: q, query: x, reference: , tags: ~}") == [
        Sample(id="q", query="x")
    ]


def test_what_json_writes_for_nothing_is_nothing_in_a_nested_cell(tmp_path: Path) -> None:
    text = "id,query,metadata,tools\nq,x,null,null\n"

    assert read(tmp_path, "a.csv", text) == [Sample(id="q", query="x")]


def test_a_csv_cell_may_hold_line_ends_and_quotes(tmp_path: Path) -> None:
    samples = read(tmp_path, "a.csv", 'id,query,reference\na,"one\ntwo, ""three""",x\nb,y,z\n')

    assert [sample.query for sample in samples] == ['one\ntwo, "three"', "y"]


def test_lines_may_end_with_a_lone_carriage_return(tmp_path: Path) -> None:
    samples = read(tmp_path, "a.csv", "id,query\ra,x\rb,y\r")

    assert [sample.id for sample in samples] == ["a", "b"]
