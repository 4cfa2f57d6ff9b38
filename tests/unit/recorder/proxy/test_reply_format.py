from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.clients.http.error_mapping import MalformedError
from ragate.recorder.proxy.reply_format import MAX_REPLY_BYTES, read_reply, reply_of, shown_body
from ragate.recorder.proxy.request_identity import Endpoint, Request

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
