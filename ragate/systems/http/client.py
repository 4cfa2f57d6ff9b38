"""Requests to one service: pinned addresses, no redirects, nothing of the environment, a cap."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx2

from ragate.clients.http.bounded_body import BoundedBody, ReplyTooLargeError
from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.http.retry import Course, FaultKind, Retry, retry_after
from ragate.guards.authorities import authorities
from ragate.machine_faults import in_container
from ragate.systems.http.address import AllowedHost, place_of, refuse_secret, resolve
from ragate.systems.http.policy import Hidden
from ragate.systems.http.stream import EventStream
from ragate.version import MANUAL

MAX_BYTES = 16 * 1024 * 1024
_REFUSED = frozenset({401, 403})
_WHERE = f"{MANUAL}/system-http.md#keys"
_RETRY = Retry(tries=3, base_s=0.2, patience_s=5.0)  # a sample waits, and its time is short
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_UNAVAILABLE = 503
_AGAIN = frozenset({502, _UNAVAILABLE, 504})
# A connection that the server has meanwhile closed would cost a sample: its usual patience is 5 s.
_IDLE_S = 1.0


class UnreachableError(Exception):
    """No request reached the service."""


class BadReplyError(Exception):
    """The service answered, and not with what was asked for.

    Attributes:
        again: A later attempt may not meet it.
        after: The seconds that the service asks to wait before.
    """

    def __init__(self, message: str, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(message)
        self.again = again
        self.after = after


class UnavailableError(BadReplyError):
    """The service answered that it cannot answer now (503), also after trying again."""


@dataclass(frozen=True)
class RawReply:
    """A whole reply, with a status of success."""

    headers: Mapping[str, str]
    content: bytes


class HttpClient:
    """Sends requests to the hosts that the policy allows.

    Args:
        hidden: What is cut out of replies, on arrival, and of messages.
        headers_env: The variables that its requests send, by header, for messages.
    """

    def __init__(
        self,
        *,
        hosts: Sequence[str],
        timeout_s: float,
        hidden: Hidden,
        headers_env: Mapping[str, str] | None = None,
    ) -> None:
        self._hosts = hosts
        self._headers_env = headers_env or {}
        self._hidden = hidden
        self._addresses: dict[AllowedHost, list[str]] = {}
        self._timeout_s = timeout_s
        self._free: list[httpx2.AsyncHTTPTransport] = []

    async def close(self) -> None:
        """Close the connections."""
        for transport in self._free:
            await transport.aclose()

    async def check(self, url: str, *, key: str, secret_rule: str = "") -> None:
        """Resolve the host of `url`, once for the whole run.

        Args:
            secret_rule: What lets secrets go to the host, "" where requests to `url` hold none.

        Raises:
            ConfigError: the policy does not allow the host, or its address is never asked, or gets
                no secret.
            SystemStartError: the name is unknown.
        """
        host = place_of(url, key=key, hosts=self._hosts)
        if host not in self._addresses:
            addresses = self._addresses[host] = await resolve(host, key=key)
            if host.hidden:
                self._hidden.add_hosts((host.host, *addresses))
        if secret_rule:
            refuse_secret(host, self._addresses[host], key=key, rule=secret_rule)

    async def connect(self, url: str, *, key: str) -> None:
        """See that something listens at the host of `url`, which `check` was called for.

        Raises:
            UnreachableError: nothing does.
        """
        host = place_of(url, key=key, hosts=self._hosts)
        error: Exception | None = None
        for address in self._addresses[host]:
            try:
                _, writer = await asyncio.open_connection(address, host.port)
            except OSError as refused:
                error = refused
                continue
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            return
        raise UnreachableError(self._connect_failed(host, error or OSError("no address")))

    async def send(self, method: str, url: str, *, key: str, **parts: Any) -> RawReply:
        """Return the reply to a request; `check` was called for its host.

        Args:
            parts: Of the request: ``headers``, ``params`` and ``content``; and ``stream``, which
                takes the events of a reply, with ``idle_s``, its longest pause.

        Raises:
            UnreachableError: it could not connect, also after trying again.
            BadReplyError: a status other than success, a body that is too long, or a broken reply.
        """
        host = place_of(url, key=key, hosts=self._hosts)
        course = Course(_RETRY)
        while True:
            try:
                return await self._once(method, url, host, **parts)
            except UnreachableError:
                wait = course.wait_after(FaultKind.FAILED)
                if wait is None:
                    raise
            except BadReplyError as error:
                if not error.again or method != "GET":
                    raise
                wait = course.wait_after(FaultKind.FAILED, error.after)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    async def _once(
        self,
        method: str,
        url: str,
        host: AllowedHost,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        stream: EventStream | None = None,
        idle_s: float | None = None,
    ) -> RawReply:
        target = _parsed(url)
        request = httpx2.Request(
            method,
            target.copy_merge_params(params) if params else target,
            headers={"Accept": "*/*", "User-Agent": "ragate", **(headers or {})},
            content=content,
            extensions={"timeout": httpx2.Timeout(self._timeout_s).as_dict()},
        )
        body = b""
        transport = self._free.pop() if self._free else _connection()
        try:
            response = await send_pinned(transport, request, host, self._addresses[host])
            try:
                assert isinstance(response.stream, BoundedStream)
                # The stream itself takes half the CPU of the library's ways to read it.
                async with aclosing(aiter(response.stream)) as parts:
                    if stream is not None and response.is_success:
                        await take_stream(parts, stream, idle_s=idle_s)
                    else:
                        body = b"".join([part async for part in parts])
            finally:
                await response.aclose()
        except _UNSENT as error:
            raise UnreachableError(self._connect_failed(host, error)) from error
        except BodyError as error:
            raise BadReplyError(str(error)) from error
        except httpx2.HTTPError as error:
            raise BadReplyError(
                self._hidden.clean(f"no reply: {_told(error)}"), again=True
            ) from error
        finally:
            self._free.append(transport)
        body = self._hidden.without_secrets(body)
        self._check(response, body)
        shown = {
            name: self._hidden.without_secrets(value.encode()).decode("utf-8", "replace")
            for name, value in response.headers.items()
        }
        return RawReply(headers=shown, content=body)

    def _check(self, response: httpx2.Response, content: bytes) -> None:
        """Raise BadReplyError for a status other than success."""
        code = response.status_code
        if response.is_success:
            return
        if 300 <= code < 400:
            target = self._hidden.clean(response.headers.get("location", "nowhere"))
            raise BadReplyError(f"answered {code}, a redirect to {target}; none is followed")
        told = self._hidden.clean(content[:2000].decode("utf-8", "replace"))
        kind = UnavailableError if code == _UNAVAILABLE else BadReplyError
        now = datetime.datetime.now(datetime.UTC)
        raise kind(
            f"answered {code}{refusal(response, self._headers_env)}: {told}",
            again=code in _AGAIN,
            after=retry_after(response.headers.get("retry-after"), now=now),
        )

    def _connect_failed(self, host: AllowedHost, error: Exception) -> str:
        hint = ""
        loopback = host.host in {"localhost", "127.0.0.1", "::1"} and not host.hidden
        if loopback and in_container():
            hint = "; in a container localhost is the container itself: call a service by its name"
        return f"no connection to {host.told}: {self._hidden.clean(_told(error))}{hint}"


def _connection() -> httpx2.AsyncHTTPTransport:
    """Return a connection of its own.

    There is no client around it: a client keeps cookies, by which a service would know one sample
    from the last, and its pool looks through all connections at every step.
    """
    return httpx2.AsyncHTTPTransport(
        verify=authorities(),
        trust_env=False,
        limits=httpx2.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
    )


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


# One request to a host of the policy: at the addresses that were checked, its reply bounded.


class BodyError(httpx2.ReadError):
    """A body that is too long, or cannot be unpacked."""


async def send_pinned(
    transport: httpx2.AsyncBaseTransport,
    request: httpx2.Request,
    host: AllowedHost,
    addresses: list[str],
) -> httpx2.Response:
    """Return the reply of the first address that takes a connection; it comes first from now on.

    Host and port are those that were checked, however another parser reads the request's address.

    Raises:
        httpx2.ConnectError: no address takes one.
        BodyError: while the body is read: see `BoundedBody`.
    """
    request.headers.update({"Host": host.authority, "Accept-Encoding": "identity"})
    request.extensions = {**request.extensions, "sni_hostname": host.host}
    url = request.url
    refused: httpx2.TransportError = httpx2.ConnectError("no address")
    for address in tuple(addresses):
        request.url = _pinned(url, address, host.port)
        try:
            response = await transport.handle_async_request(request)
        except _UNSENT as error:
            refused = error
            continue
        addresses.sort(key=address.__ne__)
        response.request = request
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        packed = response.headers.pop("content-encoding", "")
        response.stream = BoundedStream(response.stream, packed)
        return response
    raise refused


# To parse an address takes a good part of the CPU of a request.
_parsed = lru_cache(maxsize=64)(httpx2.URL)


@lru_cache(maxsize=64)
def _pinned(url: httpx2.URL, address: str, port: int) -> httpx2.URL:
    return url.copy_with(host=address, port=port)


class BoundedStream(httpx2.AsyncByteStream):
    """A body of at most so many bytes, unpacked here: the library would do it without a bound."""

    def __init__(self, inner: httpx2.AsyncByteStream, packed: str) -> None:
        self._inner = inner
        self._packed = packed

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        try:
            body = BoundedBody(self._packed, MAX_BYTES)
            async for part in self._inner:
                yield body.feed(part)
        except ReplyTooLargeError as error:
            raise BodyError(f"answered with more than {MAX_BYTES} bytes") from error
        except MalformedError as error:
            raise BodyError(f"answered with a body that cannot be read: {error}") from error

    async def aclose(self) -> None:
        """Close the connection, or leave it to the next request."""
        await self._inner.aclose()


# What a service that lets nobody in without a key is to be sent.


def refusal(response: httpx2.Response, headers_env: Mapping[str, str]) -> str:
    """Return what is missing, in brackets with a space before; "" where no key is.

    Args:
        headers_env: The variables that were sent, by header.
    """
    if response.status_code not in _REFUSED:
        return ""
    if headers_env:
        sent = ", ".join(f"{header} from {name}" for header, name in headers_env.items())
        return f" (it does not take what was sent: {sent}; the variable holds the whole value)"
    challenge = response.headers.get("www-authenticate", "").split(maxsplit=1)
    scheme = next((part for part in challenge if part.isalpha()), "")
    if scheme:
        wanted = f"the header Authorization, as `{scheme[:20]} …`"
    else:
        wanted = "a key in a header" if response.status_code == 401 else "perhaps a key in a header"
    return f" (it wants {wanted}: [system] headers_env names header and variable, {_WHERE})"


# A reply that comes in events.


async def take_stream(
    parts: AsyncIterator[bytes], stream: EventStream, *, idle_s: float | None
) -> None:
    """Read a body as its events come, until it ends or an event ends it.

    Args:
        idle_s: How long nothing may come after the first part; None for as long as it takes.

    Raises:
        BadReplyError: nothing came for too long.
        BodyError: it is too long, or cannot be unpacked.
        OutputError: there are too many events.
    """
    stream.begin()
    limit: float | None = None
    try:
        while True:
            async with asyncio.timeout(limit):
                part = await anext(parts, None)
            if part is None:
                break
            if stream.feed(part):
                return
            limit = idle_s
    except TimeoutError as error:
        raise BadReplyError(
            f"streamed nothing for {idle_s:g} s after {len(stream.events):,} events: name what "
            "ends its stream in [system.stream] end"
        ) from error
    stream.close()
