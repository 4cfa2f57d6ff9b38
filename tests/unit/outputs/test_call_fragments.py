"""Calls that come in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.outputs.call_list import are_fragments, joined, read_calls

OPENAI: list[Any] = [
    {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}},
    {"index": 0, "function": {"arguments": '{"city": '}},
    {"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}},
    {"index": 0, "function": {"arguments": '"Oslo"}'}},
]
LANGCHAIN: list[Any] = [
    {"name": "f", "args": '{"city"', "id": "c1", "index": 0, "type": "tool_call_chunk"},
    {"name": None, "args": ': "Oslo"}', "id": None, "index": 0, "type": "tool_call_chunk"},
]


@pytest.mark.parametrize("pieces", [OPENAI, LANGCHAIN])
def test_pieces_are_joined_by_their_index(pieces: list[Any]) -> None:
    calls = read_calls(joined(pieces))

    assert are_fragments(pieces)
    assert calls[0] == {"name": "f", "arguments": {"city": "Oslo"}}


def test_several_calls_keep_their_order() -> None:
    assert [call["name"] for call in joined(OPENAI)] == ["f", "g"]


@pytest.mark.parametrize(
    "items",
    [
        None,
        [],
        "f",
        [{"name": "f", "arguments": {}}],
        [{"index": True, "name": "f"}],
        [{"index": 0}],
        [{"index": 0, "function": "f"}],
    ],
)
def test_whole_calls_and_other_lists_are_no_pieces(items: Any) -> None:
    assert not are_fragments(items)
