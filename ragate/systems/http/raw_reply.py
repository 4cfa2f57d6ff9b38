"""What a service sent back, whole and within its bound, and what may be wrong with it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from dataclasses import dataclass

import httpx

from ragate.clients.http.bounded_body import BoundedBody, ReplyTooLargeError
from ragate.clients.http.error_mapping import MalformedError
from ragate.systems.http.streams.events import EventStream

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
    """Return the body.

    Raises:
        BadReplyError: it is too long, or cannot be unpacked.
    """
    content = bytearray()
    async for part in _parts(response):
        content += part
    return bytes(content)


async def take_stream(
    response: httpx.Response, stream: EventStream, *, idle_s: float | None
) -> None:
    """Read a body as its events come, until it ends or an event ends it.

    Args:
        idle_s: How long nothing may come after the first part; None for as long as it takes.

    Raises:
        BadReplyError: nothing came for too long, or as `content_of`.
        OutputError: there are too many events.
    """
    stream.begin()
    parts = _parts(response)
    limit: float | None = None
    try:
        while True:
            try:
                async with asyncio.timeout(limit):
                    part = await anext(parts)
            except StopAsyncIteration:
                break
            if stream.feed(part):
                return
            limit = idle_s
    except TimeoutError as error:
        raise BadReplyError(
            f"streamed nothing for {idle_s:g} s after {len(stream.events):,} events: name what "
            "ends its stream in [system.stream] end, or raise idle_timeout_s"
        ) from error
    finally:
        await parts.aclose()
    stream.close()


async def _parts(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    # The stream itself: half the CPU of a reply, and what is unpacked is bounded.
    assert isinstance(response.stream, AsyncIterable)
    try:
        body = BoundedBody(response.headers.get("content-encoding", ""), MAX_BYTES)
        async for part in response.stream:
            yield body.feed(part)
    except ReplyTooLargeError as error:
        raise BadReplyError(f"answered with more than {MAX_BYTES} bytes") from error
    except MalformedError as error:
        raise BadReplyError(f"answered with a body that cannot be read: {error}") from error
