from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import BaselineError, DatasetError
from ragate.files.strict_json import MAX_DEPTH, loads, read_lines

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
)


def error_of(text: str | bytes) -> str:
    with pytest.raises(DatasetError) as caught:
        loads(text, where="x.json:7", error=DatasetError)
    return str(caught.value)


@given(JSON, st.booleans())
def test_all_plain_json_is_read_as_the_standard_library_reads_it(
    value: object, plain: bool
) -> None:
    text = json.dumps(value, ensure_ascii=plain)

    assert loads(text, where="x", error=DatasetError) == value


@given(st.binary() | st.text())
def test_anything_is_json_or_the_error_that_was_asked_for(text: str | bytes) -> None:
    try:
        loads(text, where="x", error=BaselineError)
    except BaselineError as error:
        assert error.message.startswith("x:")  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('[{"b": {"c": 1, "c": 1}}]', "'c' stands twice"),
        ("NaN", "NaN"),
        ("[-Infinity]", "-Infinity"),
        ("1e999", "1e999"),
        ('"\\ud800"', "half of a character"),
        ('{"\\udfff": 1}', "half of a character"),
        ("9" * 5000, "digits"),
        ('{"a" 1}', "near '{\"a\" 1}'"),
        ('{"a": 1,\n"b"}', "line 2, column 4"),
        ("", "not JSON"),
        ("[1] 2", "not JSON"),
        (b'"\xff"', "0xff is not UTF-8"),
        ("[" * 100_000, f"more than {MAX_DEPTH} deep"),
        ('{"a":' * 65 + "1" + "}" * 65, f"more than {MAX_DEPTH} deep"),
    ],
)
def test_what_a_reader_would_trip_over_is_refused_with_its_place(
    text: str | bytes, says: str
) -> None:
    message = error_of(text)

    assert message.startswith("x.json:7: ")
    assert says in message


def test_brackets_inside_strings_are_not_depth() -> None:
    for text in ('"' + "[" * 100 + '"', '["\\"' + "{" * 100 + '"]', '["\\\\", "' + "[" * 99 + '"]'):
        assert loads(text, where="x", error=DatasetError) == json.loads(text)


def test_depth_is_the_deepest_place_not_the_number_of_brackets() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    text = "[" + ",".join(["[]"] * 1000) + "]"

    assert loads(deepest, where="x", error=DatasetError) == json.loads(deepest)
    assert loads(text, where="x", error=DatasetError) == [[]] * 1000


def test_lines_are_numbered_as_in_the_file_and_end_at_line_feeds_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n"x\xe2\x80\xa8y"\n  \n3')

    lines = list(read_lines(path, error=DatasetError))

    assert lines == [(1, {"a": 1}), (3, "x\u2028y"), (5, 3)]


def test_a_bad_line_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": NaN}\n')

    with pytest.raises(DatasetError, match=r"a\.jsonl:2: NaN"):
        list(read_lines(path, error=DatasetError))


def test_a_file_over_the_cap_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("1\n" * 10)

    assert len(list(read_lines(path, error=DatasetError, max_bytes=20))) == 10
    with pytest.raises(DatasetError, match="20 bytes, and the limit is 19"):
        list(read_lines(path, error=DatasetError, max_bytes=19))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "."])
def test_only_regular_files_are_read(path: str) -> None:
    with pytest.raises(DatasetError, match=r"not a regular file|cannot be read|director"):
        list(read_lines(Path(path), error=DatasetError))
