"""Requests to the provider with aiohttp, which the recorder's server is made with already.

The `openai` package reads a reply into its own types. A recorder passes bytes on, and would pay for
that with every call: importing the package alone takes a second.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.clients.http.bounded_body import CHAT_BYTES, ENCODINGS, MEGABYTE, BoundedBody
from ragate.clients.http.error_mapping import Fault, MalformedError, said_in, status_fault
from ragate.clients.http.retry import FaultKind as FaultKind
from ragate.clients.http.transport import Transport

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
STREAM_BYTES = 32 * MEGABYTE  # a stream has a few hundred bytes for each word
_DONE = "[DONE]"


class _FaultError(Exception):
    """Carries what went wrong out of a call."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


@dataclass(frozen=True)
class DirectTransport(Transport):
    """Sends JSON to one base URL, with one key; nothing of the environment counts."""

    def client(self, *, timeout_s: float, connections: int) -> aiohttp.ClientSession:  # type: ignore[override]
        import aiohttp

        headers = {
            "User-Agent": "ragate",
            "Accept": "application/json",
            "Accept-Encoding": ENCODINGS,
        }
        if self.key.get_secret_value():
            headers["Authorization"] = f"Bearer {self.key.get_secret_value()}"
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, ssl=_tls(self.base_url)),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeout_s),
            auto_decompress=False,  # `BoundedBody` does it
            trust_env=False,
        )

    async def outcome(self, call: Awaitable[T], *, timeout_s: float) -> T | Fault:
        """Return what the call brings, or what went wrong; only a cancellation is raised."""
        import aiohttp

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
            return Fault(f"cannot be reached: {error}")


def _tls(base_url: str) -> Any:
    if not base_url.startswith("https:"):
        return True
    import httpx

    return httpx.create_ssl_context(trust_env=False)  # not what SSL_CERT_FILE names


async def post_json(
    session: aiohttp.ClientSession,
    url: str,
    body: Mapping[str, Any],
    *,
    max_bytes: int = CHAT_BYTES,
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
    rest, data = b"", []
    async for part in _parts(response, STREAM_BYTES):
        *lines, rest = (rest + part).split(b"\n")
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
