"""The values of a sample's fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.tables.names import SURE
from tests.unit.dataset.row_factories import SAMPLE, read, rows


@pytest.mark.parametrize(
    "spelling", [(field, name) for field, names in SURE.items() for name in names]
)
def test_every_spelling_is_read_as_its_field(tmp_path: Path, spelling: tuple[str, str]) -> None:
    field, name = spelling
    whole = SAMPLE.model_dump(mode="json")
    row = {name if key == field else key: value for key, value in whole.items()}

    assert read(tmp_path, "a.jsonl", rows(row)) == [SAMPLE]


def test_a_list_of_documents_is_grade_one_each(tmp_path: Path) -> None:
    sample = read(tmp_path, "a.jsonl", rows({"id": "q", "query": "x", "expected": ["a", "b"]}))[0]
    one = read(tmp_path, "b.jsonl", rows({"id": "q", "query": "x", "expected": "a b.md"}))[0]
    cells = read(tmp_path, "c.csv", "id,query,expected\nq,x,a b.md; c.md;\n")[0]

    assert sample.relevant == {"a": 1, "b": 1}
    assert one.relevant == {"a b.md": 1}
    assert cells.relevant == {"a b.md": 1, "c.md": 1}


def test_numbers_as_ids_become_text(tmp_path: Path) -> None:
    row = {"id": 7, "query": "x", "expected": [12], "reference": 42}
    from_json = read(tmp_path, "a.jsonl", rows(row))[0]
    from_yaml = read(tmp_path, "a.yaml", "- {id: 7, query: x, expected: {12: 1}, reference: 42}")[0]

    assert (from_json.id, from_json.relevant, from_json.references) == ("7", {"12": 1}, ("42",))
    assert from_yaml == from_json
