""""""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.clients.http.error_mapping import MalformedError
from ragate.contrib.recorder.proxy.reply_format import (
    MAX_REPLY_BYTES,
    ChatParts,
    ResponseParts,
    chat_events,
    read_reply,
    reply_of,
    response_events,
    shown_body,
)
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from tests.contrib.recorder.proxy.reply_factories import events_of
from tests.servers.streams import chat_stream, response_body, response_stream

CHAT = Request(Endpoint.CHAT, {"model": "m", "messages": [1]})


RESPONSE = Request(Endpoint.RESPONSES, {"model": "m", "input": "x"})


def embeddings(texts: Any, **fields: Any) -> Request:
    return Request(Endpoint.EMBEDDINGS, {"model": "m", "input": texts, **fields})


def rows(*vectors: Any) -> dict[str, Any]:
    return {"data": [{"index": n, "embedding": one} for n, one in enumerate(vectors)]}


def test_a_reply_has_one_text_whatever_the_order_of_its_keys():
    one = b'{"choices": [{"message": {"content": "a"}, "index": 0}], "id": "x"}'
    two = b'{"id": "x", "choices": [{"index": 0, "message": {"content": "a"}}]}'

    assert read_reply(one, CHAT).text == read_reply(two, CHAT).text


def test_tokens_are_read_of_every_kind():
    chat = {"choices": [{"message": {}}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    response = {"output": [], "usage": {"input_tokens": 5, "output_tokens": 6}}

    assert (reply_of(CHAT, chat).prompt_tokens, reply_of(CHAT, chat).completion_tokens) == (3, 4)
    assert reply_of(RESPONSE, response).prompt_tokens == 5
    assert reply_of(CHAT, {**chat, "usage": {"prompt_tokens": -1}}).prompt_tokens == 0
    assert reply_of(CHAT, {**chat, "usage": {"prompt_tokens": True}}).prompt_tokens == 0


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (CHAT, []),
        (CHAT, {}),
        (CHAT, {"choices": []}),
        (CHAT, {"choices": [{"message": None}]}),
        (CHAT, {"choices": [{"message": {"content": 5}}]}),
        (RESPONSE, {"output": None}),
        (RESPONSE, {"output": [], "status": "failed"}),
        (RESPONSE, {"output": [], "status": "queued"}),
        (embeddings("a"), rows()),
        (embeddings(["a", "b"]), rows([1.0])),
        (embeddings("a"), rows([])),
        (embeddings("a"), rows(["x"])),
        (embeddings("a"), rows("not base64")),
        (embeddings("a"), rows("AAA=")),
        (embeddings("a"), rows("AADAfw==")),  # NaN
        (embeddings("a"), rows([1e300])),
    ],
)
def test_what_is_no_reply_is_never_kept(request_, body):
    with pytest.raises(MalformedError):
        reply_of(request_, body)


@pytest.mark.parametrize("text", [b"{", b"<html>", b'{"choices": [{"message": {}, "x": NaN}]}'])
def test_bytes_that_are_no_json_are_none(text):
    with pytest.raises(ValueError):
        read_reply(text, CHAT)


def test_a_reply_that_no_row_could_hold_is_refused():
    body = {"choices": [{"message": {"content": "x" * MAX_REPLY_BYTES}}]}

    with pytest.raises(MalformedError, match="ask for less at once"):
        reply_of(CHAT, body)


@given(st.lists(st.floats(-2, 2, width=32), min_size=1, max_size=8))
def test_vectors_keep_every_bit_of_32(vector):
    kept = reply_of(embeddings("a"), rows(vector)).text

    [row] = shown_body(kept, embeddings("a", encoding_format="float"))["data"]
    [packed] = shown_body(kept, embeddings("a", encoding_format="base64"))["data"]

    assert row["embedding"] == vector
    assert isinstance(packed["embedding"], str)
    assert reply_of(embeddings("a"), rows(packed["embedding"])).text == kept


@pytest.mark.parametrize(
    ("given_", "count"), [("a b", 1), ([1, 2, 3], 1), (["a", "b"], 2), ([[1], [2]], 2)]
)
def test_texts_and_tokens_are_counted(given_, count):
    assert reply_of(embeddings(given_), rows(*[[1.0]] * count)).text


def whole(events: list[dict[str, Any]]) -> dict[str, Any]:
    parts = ChatParts()
    for event in events:
        parts.add(event)
    return parts.body()


def test_the_parts_of_a_real_stream_make_its_completion():
    body = whole(events_of(chat_stream({"model": "m"}, "Red apples.")))

    assert body["choices"] == [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Red apples.", "refusal": None},
        }
    ]


def test_calls_of_functions_are_put_together_by_their_index():
    def chunk(calls: list[dict[str, Any]], end: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": end}]}

    body = whole(
        [
            chunk(
                [
                    {
                        "index": 0,
                        "id": "a",
                        "type": "function",
                        "function": {"name": "f", "arguments": ""},
                    }
                ]
            ),
            chunk(
                [
                    {
                        "index": 1,
                        "id": "b",
                        "type": "function",
                        "function": {"name": "g", "arguments": "{"},
                    }
                ]
            ),
            chunk([{"index": 0, "function": {"arguments": '{"x"'}}]),
            chunk(
                [
                    {"index": 0, "function": {"arguments": ": 1}"}},
                    {"index": 1, "function": {"arguments": "}"}},
                ]
            ),
            chunk([], "tool_calls"),
        ]
    )

    assert body["choices"][0]["message"]["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]


def test_a_role_that_every_part_repeats_is_one_role():
    def chunk(text: str, end: str | None = None) -> dict[str, Any]:
        delta = {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}

    message = whole([chunk("a"), chunk("b", "stop")])["choices"][0]["message"]

    assert message == {"role": "assistant", "content": "ab"}


MESSAGES = st.one_of(
    st.fixed_dictionaries({"role": st.just("assistant"), "content": st.text(max_size=20)}),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.none(),
            "tool_calls": st.lists(
                st.fixed_dictionaries(
                    {
                        "id": st.text(min_size=1, max_size=3),
                        "type": st.just("function"),
                        "function": st.fixed_dictionaries(
                            {
                                "name": st.text(min_size=1, max_size=3),
                                "arguments": st.text(max_size=9),
                            }
                        ),
                    }
                ),
                min_size=1,
                max_size=3,
            ),
        }
    ),
)


@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_a_completion_that_travels_as_events_arrives_as_it_was(messages):
    body = {
        "id": "c",
        "created": 1,
        "model": "m",
        "object": "chat.completion",
        "choices": [
            {"index": n, "finish_reason": "stop", "message": one} for n, one in enumerate(messages)
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }

    assert whole(list(chat_events(body, usage=True))) == body


@pytest.mark.parametrize("lost", range(1, 4))
def test_a_stream_without_its_end_is_no_completion(lost):
    events = events_of(chat_stream({"model": "m"}, "Red apples."))

    with pytest.raises(MalformedError, match="cut"):
        whole(events[:-lost])


# The events of a response, put together and taken apart.


def test_a_response_is_in_its_last_event():
    parts = ResponseParts()
    ends = [parts.add(one) for one in events_of(response_stream({"model": "m"}, "Red apples."))]

    assert ends == [False] * (len(ends) - 1) + [True]
    assert parts.body() == response_body({"model": "m"}, "Red apples.")
    with pytest.raises(MalformedError):
        ResponseParts().body()


def test_the_events_of_a_known_response_are_those_of_the_real_one():
    real = [one["type"] for one in events_of(response_stream({"model": "m"}, "one"))]
    made = list(response_events(response_body({"model": "m"}, "one")))

    assert [one["type"] for one in made if one["type"] != "response.in_progress"] == real
    assert [one["sequence_number"] for one in made] == list(range(len(made)))
    assert made[-1]["response"] == response_body({"model": "m"}, "one")


def test_a_function_call_of_a_response_becomes_events():
    item = {
        "type": "function_call",
        "id": "f1",
        "name": "f",
        "arguments": "{}",
        "status": "completed",
    }
    kinds = [one["type"] for one in response_events({"status": "completed", "output": [item]})]

    assert "response.function_call_arguments.done" in kinds
