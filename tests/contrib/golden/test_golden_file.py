"""Changing a golden set in place: one field, and every other line keeps its bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.golden.golden_file import open_golden, with_field
from ragate.dataset import read_entries
from ragate.errors import DatasetError


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        (
            '{"id": "a", "expected" : ["x"],  "tags":[]}\n',
            ["y"],
            '{"id": "a", "expected": ["y"], "tags": []}\n',
        ),
        ('{"id":"a"}\n', ["y"], '{"id":"a","relevant":["y"]}\n'),
        ('{"id": "a" }\r\n', ["y"], '{"id": "a", "relevant": ["y"]}\r\n'),
        ('\ufeff{"id": "}{"}', {"ü": 1}, '\ufeff{"id": "}{", "relevant": {"ü": 1}}'),
        ("{}\n", [], '{"relevant": []}\n'),
        ('{"id":  "a", "relevant":[]}\n', [], '{"id":  "a", "relevant":[]}\n'),
        ('{"id": "\\u00e9"}\n', ["ü"], '{"id": "\\u00e9", "relevant": ["\\u00fc"]}\n'),
    ],
)
def test_a_field_is_set_as_its_line_is_written(line: str, value: Any, expected: str) -> None:
    assert with_field(line, "relevant", value) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"draft": true, "id": "a"}', '{"id": "a"}'),
        ('{"id": "a",  "draft": true}', '{"id": "a"}'),
        ('{"id": "a", "draft": true, "x": 1}', '{"id": "a", "x": 1}'),
        ('{"draft":true}', "{}"),
        ('{"id": "a"}', '{"id": "a"}'),
    ],
)
def test_a_field_is_removed(line: str, expected: str) -> None:
    assert with_field(line, "draft", None) == expected


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), _VALUES),
    _VALUES.filter(lambda value: value is not None),
    st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")]),
    st.booleans(),
)
def test_any_object_takes_a_field_and_gives_it_back(
    row: dict[str, Any], value: Any, separators: tuple[str, str], ascii_only: bool
) -> None:
    row.pop("tags", None)
    line = json.dumps(row, separators=separators, ensure_ascii=ascii_only)

    changed = with_field(line, "tags", value)

    assert json.loads(changed) == {**row, "tags": value}
    assert json.loads(with_field(changed, "tags", None)) == row


def write(folder: Path, content: bytes) -> Path:
    path = folder / "golden.jsonl"
    path.write_bytes(content)
    return path


def test_lines_that_nobody_changes_keep_their_bytes(tmp_path: Path) -> None:
    content = (
        b'\xef\xbb\xbf{"id": "a", "query": "A\\u0021"}\r\n\r\n{"id":"b","query":"B \xe2\x80\xa8 ?"}'
    )
    path = write(tmp_path, content)
    second = read_entries(path)[1]
    golden = open_golden(path)

    golden.update(second, "tags", ["x"])
    golden.append({"id": "c", "query": "C?"})

    assert golden.save()
    assert path.read_bytes() == content[:-1] + b',"tags":["x"]}\r\n{"id": "c", "query": "C?"}\r\n'


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"id": "a", "query": "A?"}\n')
    before = path.stat()

    assert not open_golden(path).save()
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"id": "a", "query": "A?"}\n')
    golden = open_golden(path)
    golden.append({"id": "c", "query": "C?"})
    path.write_bytes(b'{"id": "z", "query": "Z?"}\n')

    with pytest.raises(DatasetError, match="changed by somebody else"):
        golden.save()

    assert path.read_bytes() == b'{"id": "z", "query": "Z?"}\n'


def test_other_formats_are_not_changed(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="only a golden set in JSON Lines") as error:
        open_golden(tmp_path / "golden.csv")

    assert "ragate dataset import golden" in error.value.remedy


def test_a_file_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b'{"query": "a"}\n{"query": "\xe9"}\n')

    with pytest.raises(DatasetError, match="line 2: byte 0xe9 is not UTF-8"):
        open_golden(path)
