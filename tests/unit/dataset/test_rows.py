from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.models import Sample
from ragate.tables.names import SURE as SPELLINGS
from tests.unit.dataset.row_factories import SAMPLE, error_of, read, rows

UNANSWERABLE = Sample(id="q2", query="Who won in 1954?", answerable=False)


JSONL = """
{"id": "q1", "query": "How long do refunds take?", "relevant": {"refunds.md": 2, "billing.md": 1}, \
"references": ["Five days.", "5 days; a week, at most."], "tags": ["billing", "refunds"], \
"must_pass": true, "metadata": {"source": "support"}}

{"id": "q2", "question": "Who won in 1954?", "answerable": false}
"""


YAML = """
- id: q1
  query: How long do refunds take?
  relevant:
    refunds.md: 2
    billing.md: 1
  references:
    - Five days.
    - 5 days; a week, at most.
  tags: billing, refunds
  must_pass: yes
  metadata: {source: support}
- {id: q2, question: "Who won in 1954?", answerable: false}
"""


CSV = (
    "\ufeffid,query,relevant,references,answerable,tags,must_pass,metadata.source\r\n"
    'q1,How long do refunds take?,"{""refunds.md"": 2, ""billing.md"": 1}",'
    '"[""Five days."", ""5 days; a week, at most.""]",,"billing, refunds",yes,support\r\n'
    ",,,,,,,\r\n"
    "q2,Who won in 1954?,,,no,,,\r\n"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("golden.jsonl", JSONL),
        ("golden.ndjson", JSONL.replace("\n", "\r\n")),
        ("golden.json", json.dumps([json.loads(line) for line in JSONL.split("\n") if line])),
        ("golden.yaml", YAML),
        ("golden.YML", YAML),
        ("golden.csv", CSV),
        ("golden.jsonl", "\ufeff" + JSONL.lstrip()),
    ],
)
def test_every_format_says_the_same(tmp_path: Path, name: str, content: str) -> None:
    assert read(tmp_path, name, content) == [SAMPLE, UNANSWERABLE]


def test_without_any_ids_each_is_made_from_its_question(tmp_path: Path) -> None:
    first = read(tmp_path, "a.jsonl", rows({"query": "one"}, {"query": "two"}))
    second = read(tmp_path, "b.csv", "query\ntwo\nthree\none\n")

    assert first[0].id == second[2].id
    assert first[1].id == second[0].id
    assert len({sample.id for sample in second}) == 3


def test_either_all_samples_have_an_id_or_none(tmp_path: Path) -> None:
    missing = error_of(tmp_path, "a.jsonl", rows({"id": "a", "query": "x"}, {"query": "y"}))
    extra = error_of(tmp_path, "a.jsonl", rows({"query": "x"}, {"id": "a", "query": "y"}))

    assert missing.startswith("a.jsonl:2: this sample has no id")
    assert extra.startswith("a.jsonl:2: this sample has an id")


def test_an_id_that_stands_twice_names_both_lines(tmp_path: Path) -> None:
    message = error_of(
        tmp_path, "a.jsonl", rows({"id": "a", "query": "x"}, {"id": "a", "query": "y"})
    )
    by_query = error_of(tmp_path, "b.jsonl", rows({"query": "x"}, {"query": "x"}))

    assert message.splitlines() == [
        "a.jsonl:2: id 'a' stands already at a.jsonl:1",
        "  -> give one of the two another id, or remove it",
    ]
    assert "the question 'x' stands already at b.jsonl:1" in by_query


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": "a"}, "'query' is missing"),
        ({"id": "a", "query": " "}, "query = ' ': is blank"),
        ({"id": "", "query": "x"}, "id = '': is blank"),
        ({"id": "a\nb", "query": "x"}, "one line of printable"),
        ({"id": "a" * 201, "query": "x"}, "at most 200"),
        ({"id": 1.5, "query": "x"}, "id = 1.5: must be text"),
        ({"id": True, "query": "x"}, "id = True: must be text"),
        ({"id": "a", "query": ["x"]}, "query = ['x']: must be text"),
        ({"id": "a", "query": "x\0y"}, "NUL"),
        ({"id": "a", "qurey": "x"}, "unknown field 'qurey'; did you mean 'query'"),
        ({"id": "a", "query": "x", "priority": 1}, "goes under 'metadata'"),
        ({"id": "a", "query": "x", "answer": "y"}, "recorded output"),
        ({"id": "a", "query": "x", "question": "x"}, "'query' stands twice"),
        ({"id": "a", "query": "x", "relevant": {"d": 1.5}}, "whole number"),
        ({"id": "a", "query": "x", "relevant": {"d": True}}, "whole number"),
        ({"id": "a", "query": "x", "relevant": {"d": 1001}}, "1001"),
        ({"id": "a", "query": "x", "relevant": {"": 1}}, "is blank"),
        ({"id": "a", "query": "x", "expected": ["d", "d"]}, "stands twice"),
        ({"id": "a", "query": "x", "expected": [["d"]]}, "must be text"),
        ({"id": "a", "query": "x", "references": [None]}, "must be text"),
        ({"id": "a", "query": "x", "answerable": "maybe"}, "answerable = 'maybe'"),
        ({"id": "a", "query": "x", "must_pass": 1}, "true or false"),
        ({"id": "a", "query": "x", "tags": {"a": 1}}, "tags"),
        ({"id": "a", "query": "x", "metadata": "m"}, "must be an object"),
        ({"id": "a", "query": "x", "metadata": {"m": [1]}}, "metadata.m"),
    ],
)
def test_a_wrong_sample_is_named_with_its_line_and_value(
    tmp_path: Path, row: dict[str, Any], says: str
) -> None:
    message = error_of(tmp_path, "a.jsonl", "\n" + rows({"id": "first", "query": "x"}, row))

    assert message.startswith("a.jsonl:3: ")
    assert says in message


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.yaml"])
@pytest.mark.parametrize("content", ["", "\n\n", "[]", "id,query\n"])
def test_a_golden_set_without_samples_is_an_error(tmp_path: Path, name: str, content: str) -> None:
    assert error_of(tmp_path, name, content).startswith(name)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", "[]", "a.jsonl:1: []: a sample is an object"),
        ("a.jsonl", '{"id": "a"', "a.jsonl:1: not JSON"),
        ("a.jsonl", '{"id": "a", "id": "b"}', "a.jsonl:1: key 'id' stands twice"),
        ("a.jsonl", '{"id": NaN}', "a.jsonl:1: NaN"),
        ("a.jsonl", b'\n{"id": "\xff"}', "a.jsonl:2"),
        ("a.json", '{"a": 1}', "must hold a list"),
        ("a.json", "[1]", "a.json: sample 1: 1: a sample is an object"),
        ("a.csv", b"id,query\n\xff,x", "a.csv: line 2: byte 0xff"),
        ("a.csv", "id,query\na,x,y\n", "a.csv:2: 3 cells, and the header has 2"),
        ("a.csv", 'id,query\na,"x\ny"\nb\n', "a.csv:4: 1 cells"),
        ("a.csv", 'id,query\na,"x', "not CSV"),
        ("a.csv", "id,id\na,b\n", "column 'id' stands twice"),
        ("a.csv", "id,query,relevant\na,x,[1\n", "a.csv:2: relevant: not JSON"),
        ("a.csv", "id,query,prio\na,x,\n", "a.csv:2: unknown field 'prio'"),
        ("a.yaml", "id: a", "must hold a list"),
        ("a.yaml", "- id: a\n  query: x\n  id: b\n", "a.yaml:3: not YAML: key 'id' stands twice"),
        ("a.yaml", "- &a {id: a}\n- *a\n", "a.yaml:2: aliases"),
        ("a.yaml", "- !!python/object/apply:os.system [id]\n", "a.yaml:1: tags"),
        ("a.yaml", "- !x {id: a}\n", "a.yaml:1: tags"),
        ("a.yaml", "- {id: a, query: x}\n---\n- 1\n", "second document"),
        ("a.yaml", "- {? [a] : b}\n", "a key must be text"),
        ("a.yaml", "- id: a\n  query: [\n", "not YAML"),
        ("a.yaml", "- id: a\n  query: x\n-\n  id: b\n  qurey: y\n", "a.yaml:4: unknown field"),
        ("a.yaml", "[" * 200, "nested more than 64 deep"),
        ("a.yaml", "[" * 10_000, "nest"),  # by us, or by the parser
        ("a.yaml", '- {id: a, query: "\\ud800"}', "a.yaml"),
        ("a.yaml", "- {id: a, query: 1.50}", "put it in quotes"),
        ("a.txt", "x", "no reader for '.txt'"),
    ],
)
def test_a_broken_file_is_named_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    assert says in error_of(tmp_path, name, content)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="ragate init"):
        read_dataset(tmp_path / "golden.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.json", "a.csv", "a.yaml"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DatasetError, match="not a regular file"):
            read_dataset(tmp_path / name)


FRAGMENTS = st.sampled_from(
    [*'\n{}[]",a1#|>\t\r\0é\u2028', "- ", "id", "query", ": ", "  ", "-1", "1e999", "NaN", "null"]
) | st.sampled_from(
    ["relevant", "references", "tags", "metadata", "&a", "*a", "!!set ", "---", "\\ud800", "<<: "]
)


CONTENTS = st.binary() | st.lists(FRAGMENTS, max_size=40).map(lambda parts: "".join(parts).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.yaml"]), CONTENTS)
def test_any_bytes_are_samples_or_a_dataset_error(
    tmp_path: Path, name: str, content: bytes
) -> None:
    try:
        samples = read(tmp_path, name, content)
    except DatasetError as error:
        assert str(tmp_path / name) in error.message  # noqa: PT017
    else:
        assert all(isinstance(sample, Sample) for sample in samples)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


FIELDS = st.sampled_from([name for names in SPELLINGS.values() for name in names])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(FIELDS, VALUES), min_size=1, max_size=3))
def test_any_values_in_known_fields_are_samples_or_a_dataset_error(
    tmp_path: Path, samples: list[dict[str, Any]]
) -> None:
    try:
        read(tmp_path, "a.jsonl", rows(*samples))
    except DatasetError as error:
        assert "a.jsonl:" in error.message  # noqa: PT017


LATE = 10_050  # past what is kept in memory


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_wrong_row_late_in_a_large_file_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    if name == "a.csv":
        lines = ["id,query", *(f"q{n},what is {n}?" for n in range(2, LATE)), "last,x,y"]
    else:
        lines = [f'{{"id": "q{n}", "query": "what is {n}?"}}' for n in range(1, LATE)]
        lines.append('{"id": "last", "qurey": "x"}')

    assert error_of(tmp_path, name, "\n".join(lines)).startswith(f"{name}:{LATE}: ")


def test_an_id_that_stands_twice_is_found_over_a_whole_large_file(tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "query": "what?"} for n in [*range(1, LATE), 7]]

    assert f"a.jsonl:{LATE}: id 'q7' stands already at a.jsonl:7" in error_of(
        tmp_path, "a.jsonl", rows(*lines)
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.jsonl", "split it"),
        ("a.csv", "split it"),
        ("a.json", "save it as .jsonl, which may have 1,073,741,824"),
        ("a.yaml", "save it as .jsonl"),
    ],
)
def test_a_file_over_its_limit_is_refused_unread_with_what_to_do(
    tmp_path: Path, name: str, says: str
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate((256 * 1024**2 if says.startswith("save") else 1024**3) + 1)

    with pytest.raises(DatasetError, match=r"the limit is") as caught:
        read_dataset(path)

    assert says in str(caught.value)


def test_more_samples_than_the_limit_are_refused_at_the_first_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragate.dataset._rows.MAX_SAMPLES", 2)

    message = error_of(tmp_path, "a.jsonl", rows(*({"query": each} for each in "xyz")))

    assert message.startswith("a.jsonl:3: more than 2 samples")
    assert "split it" in message
