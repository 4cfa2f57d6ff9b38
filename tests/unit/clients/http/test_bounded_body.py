from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.clients.http.bounded_body import BoundedBody, ReplyTooLargeError, embedding_bytes
from ragate.clients.http.error_mapping import MalformedError

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
}


@pytest.mark.parametrize("encoding", PACKERS)
@given(content=st.binary(max_size=300), step=st.integers(1, 50))
def test_a_body_within_its_bound_comes_out_whole(encoding: str, content: bytes, step: int):
    sent = PACKERS[encoding](content)
    body = BoundedBody(encoding, 1000)

    parts = [body.feed(sent[start : start + step]) for start in range(0, len(sent), step)]

    assert b"".join(parts) == content


@pytest.mark.parametrize("encoding", PACKERS)
def test_one_byte_over_the_bound_is_too_much(encoding: str):
    sent = PACKERS[encoding](b"x" * 1001)

    with pytest.raises(ReplyTooLargeError):
        BoundedBody(encoding, 1000).feed(sent)


def test_a_body_in_several_members_counts_as_one():
    sent = gzip.compress(b"a" * 600) * 2

    assert BoundedBody("gzip", 1200).feed(sent) == b"a" * 1200
    with pytest.raises(ReplyTooLargeError):
        BoundedBody("gzip", 1199).feed(sent)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str):
    with pytest.raises(MalformedError, match="not asked for"):
        BoundedBody(encoding, 1000)


def test_a_damaged_body_is_malformed():
    with pytest.raises(MalformedError, match="cannot be unpacked"):
        BoundedBody("gzip", 1000).feed(b"no gzip at all")


def test_vectors_have_room_by_their_number_and_dimensions():
    assert embedding_bytes(1, 1024) < embedding_bytes(64, 1024) < embedding_bytes(64, 3072)
    assert embedding_bytes(64, 1536) > 64 * 1536 * 26
    assert embedding_bytes(2048, None) == 256 * 1024**2
