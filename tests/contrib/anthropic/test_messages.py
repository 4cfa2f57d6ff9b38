"""What is sent to the messages API, and what its documented replies say."""

from __future__ import annotations

import json

import pytest

from ragate.clients.http.error_mapping import MalformedError
from ragate.contrib.anthropic.messages import messages_body, read_message
from ragate.protocols import ChatRequest

SCHEMA = {"type": "object", "properties": {"value": {"type": "number"}}}


def body(*messages: tuple[str, str], **parameters: object) -> dict[str, object]:
    return messages_body(ChatRequest("claude-haiku-4-5", messages, parameters))


def test_what_the_system_says_stands_beside_the_turns_and_a_bound_is_always_sent() -> None:
    assert body(("system", "Be brief."), ("user", "Hi?")) == {
        "model": "claude-haiku-4-5",
        "max_tokens": 4096,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hi?"}],
    }


def test_parameters_are_said_in_the_words_of_the_api() -> None:
    sent = body(
        ("user", "Hi?"), max_completion_tokens=9, stop="END", seed=1, temperature=0, top_k=4
    )

    assert sent["max_tokens"] == 9
    assert sent["stop_sequences"] == ["END"]
    assert (sent["temperature"], sent["top_k"]) == (0, 4)
    assert "seed" not in sent


def test_a_form_of_the_reply_is_a_tool_that_has_to_be_called() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA}}

    sent = body(("user", "Judge."), response_format=form)

    assert sent["tool_choice"] == {"type": "tool", "name": "verdict"}
    assert sent["tools"][0]["input_schema"] == SCHEMA  # type: ignore[index]
    assert "tools" not in body(("user", "Judge."), response_format={"type": "json_object"})


TEXTS = [{"type": "text", "text": "Hi! "}, {"type": "text", "text": "So."}]
THOUGHT = [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "So."}]
CALLED = [{"type": "tool_use", "name": "verdict", "input": {"value": 1}}]


@pytest.mark.parametrize(
    ("content", "reason", "text", "finish"),
    [
        (TEXTS, "end_turn", "Hi! So.", "stop"),
        (THOUGHT, "max_tokens", "So.", "length"),
        (CALLED, "tool_use", '{"value": 1}', "stop"),
        ([], "refusal", "", "refusal"),
    ],
)
def test_a_reply_says(content: object, reason: str, text: str, finish: str) -> None:
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 2}
    told = {"type": "message", "content": content, "stop_reason": reason, "usage": usage}

    reply = read_message(json.dumps(told).encode())

    assert (reply.text, reply.finish_reason) == (text, finish)
    assert (reply.prompt_tokens, reply.completion_tokens) == (10, 2)


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"content": ["text"]}', b"<html>"])
def test_what_is_no_message_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedError):
        read_message(content)
