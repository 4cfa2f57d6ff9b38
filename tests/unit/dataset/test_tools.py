"""Tools of a sample and the right calls of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.core.hashing import content_hash
from ragate.models import ExpectedCall, Sample, Tool
from tests.unit.dataset.row_factories import error_of, read, rows

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"k": {"type": "integer"}}}
TOOL = Tool(name="find", parameters={**SCHEMA, "additionalProperties": False})


def sample_of(folder: Path, **fields: Any) -> Sample:
    return read(folder, "a.jsonl", rows({"id": "q", "query": "x", **fields}))[0]


def problem(folder: Path, **fields: Any) -> str:
    return error_of(folder, "a.jsonl", rows({"id": "q", "query": "x", **fields}))


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "find", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "find", "parameters": SCHEMA}},
        {"name": "find", "input_schema": SCHEMA},
        {"name": "find", "inputSchema": SCHEMA},
    ],
)
def test_a_tool_is_read_in_every_form(tmp_path: Path, tool: dict[str, Any]) -> None:
    assert sample_of(tmp_path, tools=[tool]).tools == (TOOL,)


def test_right_calls_are_written_with_alternatives_and_what_may_be_left_out(tmp_path: Path) -> None:
    call = {"name": "f", "arguments": {"a": 1}, "alternatives": {"b": [2, 3]}, "optional": ["b"]}
    [read_back] = sample_of(tmp_path, expected_calls=[call]).expected_calls or ()

    assert read_back.accepted == {"a": (1,), "b": (2, 3)}
    assert read_back.optional == ("b",)


def test_the_leaderboards_form_is_read(tmp_path: Path) -> None:
    truth = {"f": {"a": [1, ""], "where": [{"school": ["A", "B"], "year": [2, ""]}]}}
    [call] = sample_of(tmp_path, expected_calls=[truth]).expected_calls or ()

    assert call == ExpectedCall(
        name="f",
        alternatives={
            "a": (1,),
            "where": (
                {"school": "A", "year": 2},
                {"school": "A"},
                {"school": "B", "year": 2},
                {"school": "B"},
            ),
        },
        optional=("a",),
    )


def test_no_right_call_is_not_the_same_as_unjudged(tmp_path: Path) -> None:
    assert sample_of(tmp_path, expected_calls=[]).expected_calls == ()
    assert sample_of(tmp_path).expected_calls is None


def test_calls_are_part_of_what_is_scored_and_tags_are_not(tmp_path: Path) -> None:
    plain = sample_of(tmp_path)

    assert content_hash(plain) == content_hash(sample_of(tmp_path, tags=["a"]))
    assert content_hash(plain) != content_hash(sample_of(tmp_path, expected_calls=[]))


def test_a_cell_of_csv_holds_calls_as_json(tmp_path: Path) -> None:
    table = 'id,query,expected_calls\nq,x,"[{""name"": ""now""}]"\n'

    assert read(tmp_path, "a.csv", table)[0].expected_calls == (ExpectedCall(name="now"),)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tools": {"name": "f"}}, "tools = {'name': 'f'}: must be a list"),
        ({"tools": [3]}, "3 is no tool: name and parameters are wanted"),
        ({"tools": [{"name": "f"}, {"name": "f"}]}, "the tool 'f' stands twice"),
        ({"tools": [{"name": "f", "parameters": 3}]}, "the parameters of f: 3 is no JSON Schema"),
        (
            {"tools": [{"name": "f", "parameters": {"type": "strng"}}]},
            "the parameters of f: is no JSON Schema: type: 'strng' is not valid",
        ),
        ({"expected_calls": "f"}, "expected_calls = 'f': must be a list"),
        ({"expected_calls": ["f"]}, "'f' is no tool call"),
        (
            {"expected_calls": [{"name": "f", "arguments": "{x"}]},
            "the arguments of f are no JSON object",
        ),
        (
            {"expected_calls": [{"name": "f", "optional": ["a"]}]},
            "'a' is optional and has no value",
        ),
        (
            {"expected_calls": [{"name": "f", "alternatives": {"a": []}}]},
            "alternatives of 'a' is an empty list",
        ),
        (
            {"expected_calls": [{"f": {"a": [{str(n): [1, 2] for n in range(40)}]}}]},
            "an argument has more than 256 right values",
        ),
    ],
)
def test_a_wrong_field_is_told_with_its_place(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    message = problem(tmp_path, **fields)

    assert message.startswith("a.jsonl:1: ")
    assert said in message
