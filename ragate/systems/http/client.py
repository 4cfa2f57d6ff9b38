"""Requests to one service: pinned addresses, no redirects, nothing of the environment, a cap."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
        self._urls: dict[tuple[str, str, int], httpx2.URL] = {}
        self._timeout_s = timeout_s
        self._all: list[httpx2.AsyncHTTPTransport] = []
        self._free: list[httpx2.AsyncHTTPTransport] = []

    async def close(self) -> None:
        """Close the connections."""
        for transport in self._all:
            await transport.aclose()

    def _pinned(self, url: str, address: str, port: int) -> httpx2.URL:
        pinned = self._urls.get((url, address, port))
        if pinned is None:
            pinned = httpx2.URL(url).copy_with(host=address, port=port)
            self._urls[url, address, port] = pinned
        return pinned

    def _transport(self) -> httpx2.AsyncHTTPTransport:
        """Return a connection that nobody uses.

        There is no client around it: a client keeps cookies, by which a service would know one
        sample from the last, and its pool looks through all connections at every step.
        """
        if self._free:
            return self._free.pop()
        transport = httpx2.AsyncHTTPTransport(
            verify=authorities(),
            trust_env=False,
            limits=httpx2.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
        )
        self._all.append(transport)
        return transport

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
        addresses = self._addresses[host]
        course = Course(replace(_RETRY, tries=max(_RETRY.tries, len(addresses))))
        while True:
            try:
                return await self._once(method, url, host, addresses[0], **parts)
            except _UNSENT as error:
                addresses.append(addresses.pop(0))  # the next may listen where this does not
                wait = course.wait_after(FaultKind.FAILED)
                if wait is None:
                    raise UnreachableError(self._connect_failed(host, error)) from error
            except httpx2.HTTPError as error:
                wait = course.wait_after(FaultKind.FAILED) if method == "GET" else None
                if wait is None:
                    raise BadReplyError(self._hidden.clean(f"no reply: {_told(error)}")) from error
            except _TryAgainError as error:
                wait = course.wait_after(FaultKind.FAILED, error.after) if method == "GET" else None
                if wait is None:
                    final = UnavailableError if error.unavailable else BadReplyError
                    raise final(str(error)) from error
            if course.calls >= len(addresses):
                await asyncio.sleep(wait)

    async def _once(
        self, method: str, url: str, host: AllowedHost, address: str, **parts: Any
    ) -> RawReply:
        stream, idle_s = parts.pop("stream", None), parts.pop("idle_s", self._timeout_s)
        # Host and port are those that were checked, however another parser reads the address.
        pinned = self._pinned(url, address, host.port)
        if params := parts.pop("params", None):
            pinned = pinned.copy_merge_params(params)
        headers = {"Accept": "*/*", "User-Agent": "ragate", **parts.pop("headers", {})}
        headers |= {"Host": host.authority, "Accept-Encoding": "identity"}
        timeout = httpx2.Timeout(self._timeout_s).as_dict()
        extensions = {"sni_hostname": host.host, "timeout": timeout}
        request = httpx2.Request(method, pinned, headers=headers, extensions=extensions, **parts)
        transport = self._transport()
        try:
            response = await transport.handle_async_request(request)
            response.request = request
            content = b""
            try:
                if stream is not None and response.is_success:
                    await take_stream(response, stream, idle_s=idle_s)
                else:
                    content = self._hidden.without_secrets(await content_of(response))
            finally:
                await response.aclose()
        finally:
            self._free.append(transport)
        self._check(response, content)
        shown = {
            name: self._hidden.without_secrets(value.encode()).decode("utf-8", "replace")
            for name, value in response.headers.items()
        }
        return RawReply(headers=shown, content=content)

    def _check(self, response: httpx2.Response, content: bytes) -> None:
        code = response.status_code
        if 200 <= code < 300:
            return
        if 300 <= code < 400:
            target = self._hidden.clean(response.headers.get("location", "nowhere"))
            raise BadReplyError(f"answered {code}, a redirect to {target}; none is followed")
        told = self._hidden.clean(content[:2000].decode("utf-8", "replace"))
        message = f"answered {code}{refusal(response, self._headers_env)}: {told}"
        if code in _AGAIN:
            now = datetime.datetime.now(datetime.UTC)
            after = retry_after(response.headers.get("retry-after"), now=now)
            raise _TryAgainError(message, unavailable=code == _UNAVAILABLE, after=after)
        raise BadReplyError(message)

    def _connect_failed(self, host: AllowedHost, error: Exception) -> str:
        hint = ""
        loopback = host.host in {"localhost", "127.0.0.1", "::1"} and not host.hidden
        if loopback and in_container():
            hint = "; in a container localhost is the container itself: call a service by its name"
        return f"no connection to {host.told}: {self._hidden.clean(_told(error))}{hint}"


class _TryAgainError(Exception):
    """A status that a later attempt may not meet."""

    def __init__(self, message: str, *, unavailable: bool, after: float | None) -> None:
        super().__init__(message)
        self.unavailable = unavailable
        self.after = after


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


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


# What a service sent back, whole and within its bound, and what may be wrong with it.


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


async def content_of(response: httpx2.Response) -> bytes:
    """Return the body.

    Raises:
        BadReplyError: it is too long, or cannot be unpacked.
    """
    content = bytearray()
    async for part in _parts(response):
        content += part
    return bytes(content)


async def take_stream(
    response: httpx2.Response, stream: EventStream, *, idle_s: float | None
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
            "ends its stream in [system.stream] end"
        ) from error
    finally:
        await parts.aclose()
    stream.close()


async def _parts(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
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
