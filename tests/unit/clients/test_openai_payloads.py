"""What is sent to a reranking service, and what is read of its reply."""

from __future__ import annotations

import pytest

from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.openai_payloads import (
    read_chat,
    read_embeddings,
    read_ranked,
    rerank_body,
)


def test_the_body_is_that_of_the_wanted_form() -> None:
    assert rerank_body("q", ["a"], "m", "cohere") == {
        "model": "m", "query": "q", "documents": ["a"], "top_n": 1,
    }  # fmt: skip
    assert rerank_body("q", ["a"], "m", "tei") == {"query": "q", "texts": ["a"], "truncate": True}


@pytest.mark.parametrize(
    "reply",
    [
        b'{"results": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 2}]}',
        b'[{"index": 1, "score": 0.5}, {"index": 0, "score": 2}]',
    ],
)
def test_both_shapes_of_a_reply_are_read(reply: bytes) -> None:
    assert read_ranked(reply, 2).rows == [2.0, 0.5]


@pytest.mark.parametrize(
    "reply",
    [
        b"{}",
        b"3",
        b'{"results": []}',
        b'[{"index": 0, "score": 1}]',
        b'[{"index": 0, "score": 1}, {"index": 0, "score": 1}]',
        b'[{"index": 0, "score": 1}, {"index": 2, "score": 1}]',
        b'[{"index": 0, "score": "1"}, {"index": 1, "score": 1}]',
        b'[{"index": 0, "score": NaN}, {"index": 1, "score": 1}]',
        b'[{"index": 0}, {"index": 1, "score": 1}]',
        b"[1, 2]",
    ],
)
def test_a_reply_that_does_not_score_each_text_once_is_refused(reply: bytes) -> None:
    with pytest.raises(MalformedError):
        read_ranked(reply, 2)


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b'{"a": "\xe9"}', b"[" * 200_000, b"9" * 5000])
def test_broken_bytes_are_no_reply(body: bytes) -> None:
    with pytest.raises(MalformedError):
        read_chat(body)
    with pytest.raises(MalformedError):
        read_embeddings(body, 1)
    with pytest.raises(MalformedError):
        read_ranked(body, 1)
