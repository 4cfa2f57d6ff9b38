"""What a service sent back, whole and within its bound, and what may be wrong with it."""

from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass

import httpx

from ragate.clients.http.bounded_body import BoundedBody, ReplyTooLargeError
from ragate.clients.http.error_mapping import MalformedError

MAX_BYTES = 16 * 1024 * 1024


class UnreachableError(Exception):
    """No request reached the service."""


class BadReplyError(Exception):
    """The service answered, and not with what was asked for."""


class UnavailableError(BadReplyError):
    """The service answered that it cannot answer now (503), also after trying again."""


@dataclass(frozen=True)
class RawReply:
    """A whole reply, with a status of success."""

    headers: Mapping[str, str]
    content: bytes


async def content_of(response: httpx.Response) -> bytes:
    content = bytearray()
    # The stream itself: half the CPU of a reply, and what is unpacked is bounded.
    assert isinstance(response.stream, AsyncIterable)
    try:
        body = BoundedBody(response.headers.get("content-encoding", ""), MAX_BYTES)
        async for part in response.stream:
            content += body.feed(part)
    except ReplyTooLargeError as error:
        raise BadReplyError(f"answered with more than {MAX_BYTES} bytes") from error
    except MalformedError as error:
        raise BadReplyError(f"answered with a body that cannot be read: {error}") from error
    return bytes(content)
