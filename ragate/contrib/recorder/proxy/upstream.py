"""Forwarding to the provider, whole or as a stream, through the channel that pays and retries."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ragate.clients.channel import Channel
from ragate.clients.http.bounded_body import CHAT_BYTES, MEGABYTE, embedding_bytes
from ragate.clients.http.error_mapping import Fault, FaultError, MalformedError, said_in
from ragate.clients.http.transport import Transport, body_parts
from ragate.contrib.recorder.proxy.reply_format import (
    ChatParts,
    ResponseParts,
    read_reply,
    reply_of,
    text_count,
)
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from ragate.protocols import ChatReply

if TYPE_CHECKING:
    import aiohttp


STREAM_BYTES = 32 * MEGABYTE  # a stream has a few hundred bytes for each word
_DONE = "[DONE]"
Send = Callable[[dict[str, Any]], Awaitable[None]]
_MOST_EVENTS = 200_000


@dataclass
class Upstream:
    """One provider.

    Attributes:
        channel: Holds the key, the caps, the retries and the breaker.
    """

    channel: Channel

    async def ask(self, request: Request) -> ChatReply:
        """Return the reply to one request.

        Raises:
            ProviderError: no reply after all tries, or a refusal.
            BudgetError: a cap is reached.
        """
        body = _body(request, stream=False)
        most = CHAT_BYTES
        if request.kind is Endpoint.EMBEDDINGS:
            most = embedding_bytes(text_count(request.body["input"]), None)

        async def once(session: Any) -> ChatReply:
            path = request.kind.value
            content = await self.channel.transport.post(session, path, body, max_bytes=most)
            return read_reply(self._clean(content), request)

        return self._priced(request, await self.channel.ask(request.model, once))

    async def stream(self, request: Request, send: Send) -> tuple[ChatReply, list[dict[str, Any]]]:
        """Pass the events of one reply on as they come; return the whole, and the last events.

        The last events are held back, so that a caller who has them all finds the reply kept.

        Raises:
            ProviderError, BudgetError: as for `ask`; nothing is repeated after a part was sent.
        """
        passing = _Passing(request, self.channel.transport, send, self._clean)

        async def once(session: Any) -> ChatReply:
            return await passing.run(session)

        return self._priced(request, await self.channel.ask(request.model, once)), passing.held

    async def aclose(self) -> None:
        """Close the connections."""
        await self.channel.aclose()

    def _priced(self, request: Request, reply: ChatReply) -> ChatReply:
        return replace(reply, cost_usd=self.channel.cost(request.model, reply))

    def _clean(self, content: bytes) -> bytes:
        text = content.decode("utf-8", "replace")
        return self.channel.redact(text).encode()


@dataclass
class _Passing:
    """One stream on its way to the caller; only one that has sent nothing can begin anew."""

    request: Request
    transport: Transport
    send: Send
    clean: Callable[[bytes], bytes]
    held: list[dict[str, Any]] = field(default_factory=list)
    _sent: int = 0

    async def run(self, session: aiohttp.ClientSession) -> ChatReply:
        if self._sent:
            raise FaultError(Fault("a stream was cut", kind=None, billed=False))
        try:
            return await self._read(session)
        except Exception as error:
            if not self._sent:
                raise
            raise FaultError(Fault(f"a stream was cut: {error}"[:200], kind=None)) from error

    async def _read(self, session: aiohttp.ClientSession) -> ChatReply:
        self.held = []
        parts: ChatParts | ResponseParts = (
            ChatParts() if self.request.kind is Endpoint.CHAT else ResponseParts()
        )
        body = _body(self.request, stream=True)
        async with self.transport.posted(session, self.request.kind.value, body) as response:
            async for raw in events(response):
                await self._pass_on(self._cleaned(raw), parts)
        if not self.request.wants_usage:
            self.held = [event for event in self.held if event.get("choices") != []]
        # Once more as a whole: a key may have come in pieces.
        return reply_of(self.request, self._cleaned(parts.body()))

    async def _pass_on(self, event: dict[str, Any], parts: ChatParts | ResponseParts) -> None:
        if self._sent > _MOST_EVENTS:
            raise MalformedError("a stream without an end")
        if parts.add(event):
            self.held.append(event)
        elif event.get("choices") == [] and not self.request.wants_usage:
            pass  # counts that only we have asked for
        else:
            await self.send(event)
            self._sent += 1

    def _cleaned(self, event: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(event, ensure_ascii=False).encode("utf-8", "replace")
        clean = self.clean(text)
        return event if clean == text else dict(json.loads(clean))


def _body(request: Request, *, stream: bool) -> dict[str, Any]:
    """Return what is sent: all that the caller said, and for a stream the wish to know its size."""
    body = {k: v for k, v in request.body.items() if k not in {"stream", "stream_options"}}
    if not stream:
        return body
    options = request.body.get("stream_options")
    wishes = options if isinstance(options, dict) else {}
    if request.kind is Endpoint.CHAT:
        wishes = {**wishes, "include_usage": True}
    return {**body, "stream": True, **({"stream_options": wishes} if wishes else {})}


# Streams of the provider.


async def events(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a streamed answer, up to its end or to where it is cut."""
    async for data in _data(response):
        if data.startswith(_DONE):
            return
        event = json.loads(data)
        if not isinstance(event, dict):
            raise MalformedError("a stream of something else")
        if event.get("error"):
            raise MalformedError(f"an error in a stream: {said_in(event['error'])}")
        yield event


async def _data(response: aiohttp.ClientResponse) -> AsyncIterator[str]:
    """Yield the data of server-sent events."""
    rest: list[bytes] = []  # joined once, however many parts a line comes in
    data = []
    async for part in body_parts(response, STREAM_BYTES):
        first, *more = part.split(b"\n")
        rest.append(first)
        if not more:
            continue
        *lines, last = [b"".join(rest), *more]
        rest = [last]
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif not line and data:
                yield b"\n".join(data).decode("utf-8", "replace")
                data = []
