"""Whatever JSON somebody else writes, a reader of it returns or raises an error of its own kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.recorder.proxy.reply_format import (
    ChatParts,
    chat_events,
    read_reply,
    response_events,
    shown_body,
)
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from tests.unit.test_foreign_json import (
    CALL,
    COMPLETION,
    EMBEDDINGS,
    JSON,
    ODD_VALUES,
    TYPED,
    changed,
    places,
)

DELTA = {"content": "a", "tool_calls": [CALL]}
CHUNKS = [
    {"choices": [{"index": 0, "delta": DELTA, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": DELTA, "finish_reason": "stop"}], "usage": {}},
]
RESPONSE = {
    "status": "completed",
    "output": [
        {"type": "message", "id": "x", "content": [{"type": "output_text", "text": "It is."}]},
        {"type": "function_call", "name": "f", "arguments": "{}"},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 2},
}


def _stream(value: Any) -> None:
    parts = ChatParts()
    for chunk in value if isinstance(value, list) else [value]:
        if isinstance(chunk, dict):  # what reads the stream sees to it
            parts.add(chunk)
    _recorded(Endpoint.CHAT)(parts.body())


def _recorded(kind: Endpoint) -> Callable[[Any], None]:
    request = Request(kind, {"model": "m", "input": ["a", "b"]})
    events = {
        Endpoint.CHAT: lambda body: chat_events(body, usage=True),
        Endpoint.RESPONSES: response_events,
        Endpoint.EMBEDDINGS: lambda _body: (),
    }[kind]

    def read(value: Any) -> None:
        reply = read_reply(json.dumps(value).encode(), request)
        list(events(shown_body(reply.text, request)))

    return read


READERS: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "recorded chat": (COMPLETION, _recorded(Endpoint.CHAT)),
    "recorded response": (RESPONSE, _recorded(Endpoint.RESPONSES)),
    "recorded embeddings": (EMBEDDINGS, _recorded(Endpoint.EMBEDDINGS)),
    "recorded stream": (CHUNKS, _stream),
}


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_a_reader_of_foreign_json_raises_nothing_but_its_own_errors(
    name: str, data: st.DataObject
) -> None:
    sound, read = READERS[name]
    read(sound)
    place = data.draw(st.sampled_from(list(places(sound))))
    with suppress(*TYPED):
        read(changed(sound, place, data.draw(JSON)))


@pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: repr(odd)[:5])
@pytest.mark.parametrize("name", READERS)
def test_an_odd_value_in_any_place_is_refused_or_read(name: str, odd: object) -> None:
    sound, read = READERS[name]
    for place in places(sound):
        with suppress(*TYPED):
            read(changed(sound, place, odd))
