"""Lists of calls in the forms of other tools."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.files.pointer import PointerError
from ragate.outputs.call_list import read_calls
from ragate.outputs.pointed import Pointers, pointed
from ragate.outputs.recorded_output import RecordedOutput

OURS = {"name": "find", "arguments": {"k": 3}}
FORMS: dict[str, Any] = {
    "ours": OURS,
    "OpenAI, chat": {
        "id": "call_1",
        "type": "function",
        "function": {"name": "find", "arguments": '{"k": 3}'},
    },
    "OpenAI, responses": {
        "type": "function_call",
        "call_id": "call_1",
        "name": "find",
        "arguments": '{"k": 3}',
    },
    "Anthropic": {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"k": 3}},
    "MCP, request": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "find", "arguments": {"k": 3}},
    },
    "LangChain": {"type": "tool_call", "id": "1", "name": "find", "args": {"k": 3}},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_read_in_every_form(form: str) -> None:
    assert read_calls([FORMS[form]]) == [OURS]


@pytest.mark.parametrize("form", FORMS)
def test_a_recorded_line_may_hold_any_form(form: str) -> None:
    line = RecordedOutput.model_validate({"id": "q", "tool_calls": [FORMS[form]]})

    assert line.tool_calls is not None
    assert [call.model_dump(exclude_defaults=True) for call in line.tool_calls] == [OURS]


@pytest.mark.parametrize("kind", ["text", "thinking", "message", "reasoning"])
def test_blocks_between_the_calls_are_left_out(kind: str) -> None:
    assert read_calls([{"type": kind, "text": "I look it up."}, FORMS["Anthropic"]]) == [OURS]


@pytest.mark.parametrize("arguments", ["{k: 3}", "[1]", "3", '{"k": NaN}', "[" * 50_000])
def test_arguments_that_are_no_json_object_are_kept_as_they_came(arguments: str) -> None:
    [call] = read_calls([{"name": "find", "arguments": arguments}])

    assert call == {"name": "find", "arguments": {}, "malformed": arguments[:2000]}
    assert read_calls([call]) == [call]


@pytest.mark.parametrize("arguments", ["", None, "{}", {}])
def test_no_arguments_are_an_empty_object(arguments: Any) -> None:
    assert read_calls([{"name": "now", "arguments": arguments}]) == [
        {"name": "now", "arguments": {}}
    ]


@pytest.mark.parametrize("item", ["find", 3, {}, {"name": ""}, {"function": {"args": {}}}])
def test_what_is_no_call_says_which_forms_are(item: Any) -> None:
    with pytest.raises(ValueError, match="is no tool call: name and arguments, or the form of"):
        read_calls([item])


@pytest.mark.parametrize("message", [{"content": "Hello."}, {"tool_calls": None}])
def test_a_reply_of_openai_without_calls_made_none(message: dict[str, Any]) -> None:
    pointers = Pointers(tool_calls="/message/tool_calls")

    assert pointed({"message": message}, pointers)["tool_calls"] == []


def test_a_misspelt_pointer_to_calls_is_told() -> None:
    with pytest.raises(PointerError, match="leads nowhere"):
        pointed({"message": {}}, Pointers(tool_calls="/message/calls"))
    with pytest.raises(PointerError, match="leads nowhere"):
        pointed({"message": {}}, Pointers(tool_calls="/mesage/tool_calls"))


def test_what_is_no_call_below_a_pointer_names_the_pointer() -> None:
    with pytest.raises(PointerError, match="/calls: 3 is no tool call"):
        pointed({"calls": [3]}, Pointers(tool_calls="/calls"))
