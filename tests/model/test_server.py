"""The least that every change is tried on: the server starts, chats, and holds to a schema."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragate.clients.openai import OpenAIClient
from ragate.judges.rubric._schema import schema_for
from ragate.protocols import ChatReply, ChatRequest
from tests.servers.llama import MODEL, Llama, lacking

pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(lacking()), reason=lacking())]


def asked(server: Llama, text: str, **parameters: Any) -> ChatReply:
    """Return the reply to one question."""

    async def ask() -> ChatReply:
        client = OpenAIClient(base_url=server.base_url, timeout_s=300.0)
        try:
            return await client(ChatRequest(MODEL, (("user", text),), parameters))
        finally:
            await client.aclose()

    return asyncio.run(ask())


def test_health_is_503_while_the_model_loads(real_model: Llama) -> None:
    assert real_model.seen[-2:] == (503, 200)


def test_a_chat_ends_as_its_finish_reason_says(real_model: Llama) -> None:
    reply = asked(real_model, "Count to a hundred.", max_tokens=5)

    assert reply.finish_reason == "length"
    assert reply.completion_tokens == 5
    assert reply.prompt_tokens > 5
    assert reply.text


def test_a_schema_is_held_to(real_model: Llama) -> None:
    schema = {"name": "verdict", "strict": True, "schema": schema_for(["refusal", "relevant"])}
    form = {"type": "json_schema", "json_schema": schema}

    reply = asked(real_model, "Is Paris in France?", response_format=form, max_tokens=100)

    assert reply.finish_reason == "stop"
    assert {key: type(value) for key, value in json.loads(reply.text).items()} == {
        "refusal": bool,
        "relevant": bool,
    }
