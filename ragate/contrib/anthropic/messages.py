"""A chat in the words of the messages API, and what its reply says.

Parameters keep the names that they have in ragate, which are OpenAI's. A bound on the reply is
required there, so that one is sent where none was given. A form of the reply becomes a tool that
has to be called, and its arguments are the reply.

Source: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.openai_payloads import count, loaded
from ragate.clients.speech import Speech
from ragate.guards.escape import sendable
from ragate.protocols import ChatReply, ChatRequest

VERSION = "2023-06-01"
MOST_TOKENS = 4096
_SYSTEM = frozenset({"system", "developer"})
_BOUNDS = ("max_completion_tokens", "max_tokens")
# What the API has no word for, and what a sampled reply does without.
_WITHOUT = frozenset({"seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"})
_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "stop", "max_tokens": "length"}


def headers(key: str) -> Mapping[str, str]:
    """Return the headers of a request; "" is no key."""
    version = {"anthropic-version": VERSION}
    return {**version, "x-api-key": key} if key else version


def messages_body(request: ChatRequest) -> dict[str, Any]:
    """Return the body of a request."""
    turns = [(role, text) for role, text in request.messages if role not in _SYSTEM]
    system = [text for role, text in request.messages if role in _SYSTEM]
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": MOST_TOKENS,
        "messages": [{"role": role, "content": text or "(empty)"} for role, text in turns],
    }
    if system:
        body["system"] = "\n\n".join(system)
    for name, value in request.parameters.items():
        body |= _parameter(name, value)
    return body


def _parameter(name: str, value: Any) -> dict[str, Any]:
    """Return what one parameter is there; another one of a user's own goes as it is."""
    if name in _BOUNDS:
        return {"max_tokens": value}
    if name == "stop":
        return {"stop_sequences": [value] if isinstance(value, str) else list(value)}
    if name == "reasoning_effort":
        return {"output_config": {"effort": value}}
    if name == "response_format":
        return _form(value)
    return {} if name in _WITHOUT else {name: value}


def _form(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tool whose arguments have the form; JSON of any form has none."""
    schema = value.get("json_schema")
    if not isinstance(schema, Mapping):
        return {}
    name = str(schema.get("name", "reply"))
    tool = {"name": name, "description": "Give the reply.", "input_schema": schema["schema"]}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}


def read_message(content: bytes) -> ChatReply:
    """Return the texts of a message, or the arguments of the tool that it calls.

    Raises:
        MalformedError: it is no message.
    """
    reply = loaded(content)
    blocks = reply.get("content") if isinstance(reply, dict) else None
    if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
        raise MalformedError("no message")
    usage = reply.get("usage")
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    reason = str(reply.get("stop_reason") or "")
    return ChatReply(
        text=sendable(_text(blocks)),
        prompt_tokens=sum(count(usage, name) for name in ("input_tokens", *cached)),
        completion_tokens=count(usage, "output_tokens"),
        finish_reason=sendable(_REASONS.get(reason, reason))[:40],
    )


def _text(blocks: list[dict[str, Any]]) -> str:
    called = [each.get("input") for each in blocks if each.get("type") == "tool_use"]
    if called:
        return json.dumps(called[0], ensure_ascii=False)
    texts = [each.get("text") for each in blocks if each.get("type") == "text"]
    if not all(isinstance(each, str) for each in texts):
        raise MalformedError("no message")
    return "".join(map(str, texts))


SPEECH = Speech("/messages", messages_body, read_message, headers, "anthropic")
