"""Forwarding to the provider, whole or as a stream, through the channel that pays and retries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.clients.channel import Channel
from ragate.clients.http.bounded_body import (
    CHAT_BYTES,
    ENCODINGS,
    MEGABYTE,
    BoundedBody,
    embedding_bytes,
)
from ragate.clients.http.error_mapping import Fault, MalformedError, said_in, status_fault
from ragate.clients.http.retry import FaultKind
from ragate.clients.http.transport import Transport
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


T = TypeVar("T")
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
            content = await post_json(session, self._url(request), body, max_bytes=most)
            return read_reply(self._clean(content), request)

        return self._priced(request, await self.channel.ask(request.model, once))

    async def stream(self, request: Request, send: Send) -> tuple[ChatReply, list[dict[str, Any]]]:
        """Pass the events of one reply on as they come; return the whole, and the last events.

        The last events are held back, so that a caller who has them all finds the reply kept.

        Raises:
            ProviderError, BudgetError: as for `ask`; nothing is repeated after a part was sent.
        """
        passing = _Passing(request, self._url(request), send, self._clean)

        async def once(session: Any) -> ChatReply:
            return await passing.run(session)

        return self._priced(request, await self.channel.ask(request.model, once)), passing.held

    async def aclose(self) -> None:
        """Close the connections."""
        await self.channel.aclose()

    def _priced(self, request: Request, reply: ChatReply) -> ChatReply:
        return replace(reply, cost_usd=self.channel.cost(request.model, reply))

    def _url(self, request: Request) -> str:
        return f"{self.channel.transport.base_url}{request.kind.value}"

    def _clean(self, content: bytes) -> bytes:
        text = content.decode("utf-8", "replace")
        return self.channel.redact(text).encode()


@dataclass
class _Passing:
    """One stream on its way to the caller; only one that has sent nothing can begin anew."""

    request: Request
    url: str
    send: Send
    clean: Callable[[bytes], bytes]
    held: list[dict[str, Any]] = field(default_factory=list)
    _sent: int = 0

    async def run(self, session: aiohttp.ClientSession) -> ChatReply:
        if self._sent:
            raise _FaultError(Fault("a stream was cut", kind=None, billed=False))
        try:
            return await self._read(session)
        except Exception as error:
            if not self._sent:
                raise
            raise _FaultError(Fault(f"a stream was cut: {error}"[:200], kind=None)) from error

    async def _read(self, session: aiohttp.ClientSession) -> ChatReply:
        self.held = []
        parts: ChatParts | ResponseParts = (
            ChatParts() if self.request.kind is Endpoint.CHAT else ResponseParts()
        )
        async for raw in post_stream(session, self.url, _body(self.request, stream=True)):
            if self._sent > _MOST_EVENTS:
                raise MalformedError("a stream without an end")
            event = self._cleaned(raw)
            if parts.add(event):
                self.held.append(event)
                continue
            if event.get("choices") == [] and not self.request.wants_usage:
                continue  # counts that only we have asked for
            await self.send(event)
            self._sent += 1
        if not self.request.wants_usage:
            self.held = [event for event in self.held if event.get("choices") != []]
        # Once more as a whole: a key may have come in pieces.
        return reply_of(self.request, self._cleaned(parts.body()))

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


# Requests to the provider with aiohttp, which the recorder's server is made with already.
#
# The `openai` package reads a reply into its own types. A recorder passes bytes on, and would
# pay for that with every call: importing the package alone takes a second.


class _FaultError(Exception):
    """Carries what went wrong out of a call."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


@dataclass(frozen=True)
class DirectTransport(Transport):
    """Sends JSON to one base URL, with one key; nothing of the environment counts."""

    def client(self, *, timeout_s: float, connections: int) -> aiohttp.ClientSession:  # type: ignore[override]
        from ragate.clients.http.session import provider_session

        headers = {
            "User-Agent": "ragate",
            "Accept": "application/json",
            "Accept-Encoding": ENCODINGS,
            **self.authorization,
        }
        return provider_session(
            self.base_url, headers, connections=connections, connect_s=timeout_s
        )

    async def outcome(self, call: Awaitable[T], *, timeout_s: float) -> T | Fault:
        """Return what the call brings, or what went wrong; only a cancellation is raised."""
        import aiohttp

        from ragate.clients.http.session import words_of

        try:
            async with asyncio.timeout(timeout_s):
                return await call
        except TimeoutError:
            return Fault(f"no answer within {timeout_s:.3g} s")
        except _FaultError as error:
            return error.fault
        except aiohttp.ClientConnectorError as error:
            return Fault(f"cannot be reached: {error}", billed=False)
        except aiohttp.ClientPayloadError as error:
            return Fault(f"broke off: the reply is cut off: {error}")
        except (ValueError, RecursionError) as error:
            text = f"sent a reply that cannot be read: {error}"
            return Fault(text, kind=FaultKind.MALFORMED)
        except (aiohttp.ClientError, OSError) as error:
            return Fault(f"cannot be reached: {words_of(error)}")


async def post_json(
    session: aiohttp.ClientSession,
    url: str,
    body: Mapping[str, Any],
    *,
    max_bytes: int,
) -> bytes:
    """Return the body of the answer to one request, unpacked."""
    async with session.post(url, json=body, allow_redirects=False) as response:
        content = await _read(response, max_bytes)
        if response.status != 200:
            raise _refused(response, content)
        return content


async def post_stream(
    session: aiohttp.ClientSession, url: str, body: Mapping[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a streamed answer, up to its end or to where it is cut."""
    async with session.post(url, json=body, allow_redirects=False) as response:
        if response.status != 200:
            raise _refused(response, await _read(response, CHAT_BYTES))
        async for data in _events(response):
            if data.startswith(_DONE):
                return
            event = json.loads(data)
            if not isinstance(event, dict):
                raise MalformedError("a stream of something else")
            if event.get("error"):
                raise MalformedError(f"an error in a stream: {said_in(event['error'])}")
            yield event


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    return b"".join([part async for part in _parts(response, max_bytes)])


async def _parts(response: aiohttp.ClientResponse, max_bytes: int) -> AsyncIterator[bytes]:
    body = BoundedBody(response.headers.get("Content-Encoding", ""), max_bytes)
    async for part in response.content.iter_any():
        yield body.feed(part)


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[str]:
    """Yield the data of server-sent events."""
    rest: list[bytes] = []  # joined once, however many parts a line comes in
    data = []
    async for part in _parts(response, STREAM_BYTES):
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


def _refused(response: aiohttp.ClientResponse, content: bytes) -> _FaultError:
    try:
        error = json.loads(content).get("error")
    except (ValueError, AttributeError, RecursionError):
        error = None
    code = error.get("code") if isinstance(error, dict) else None
    return _FaultError(
        status_fault(
            response.status,
            code=code if isinstance(code, str) else None,
            said=said_in(error),
            after=response.headers.get("Retry-After"),
        )
    )
