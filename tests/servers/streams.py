"""Streams and the Responses API of the loopback server, as the real one sends them."""

from __future__ import annotations

import json
from typing import Any


def response_body(body: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a whole reply of the Responses API."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body["model"],
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
    }


def chat_stream(body: dict[str, Any], text: str) -> list[str]:
    """Return the events of a streamed completion, a word each."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}

    def chunk(delta: dict[str, Any], end: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": end, "logprobs": None}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    words = text.split(" ")
    parts = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    events = [chunk({"role": "assistant", "content": "", "refusal": None})]
    events += [chunk({"content": part}) for part in parts]
    events.append(chunk({}, "stop"))
    if (body.get("stream_options") or {}).get("include_usage"):
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        events.append(f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n")
    return [*events, "data: [DONE]\n\n"]


def response_stream(body: dict[str, Any], text: str) -> list[str]:
    """Return the events of a streamed response."""
    whole = response_body(body, text)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    item = whole["output"][0]
    part = item["content"][0]
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": word, "logprobs": []}
            for word in text.split(" ")
        ),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
        for number, event in enumerate(events)
    ]
