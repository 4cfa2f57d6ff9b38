"""Requests to one service: pinned addresses, no redirects, nothing of the environment, a cap."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from ragate.systems.http.address import AllowedHost, place_of, resolve
from ragate.systems.http.hidden import Hidden
from ragate.systems.http.raw_reply import (
    BadReplyError,
    RawReply,
    UnavailableError,
    UnreachableError,
    content_of,
    take_stream,
)
from ragate.systems.http.refusal import refusal

TRIES = 3
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
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
        self._urls: dict[tuple[str, str, int], httpx.URL] = {}
        self._timeout_s = timeout_s
        self._tls: ssl.SSLContext | None = None
        self._all: list[httpx.AsyncHTTPTransport] = []
        self._free: list[httpx.AsyncHTTPTransport] = []

    async def close(self) -> None:
        """Close the connections."""
        for transport in self._all:
            await transport.aclose()

    def _pinned(self, url: str, address: str, port: int) -> httpx.URL:
        pinned = self._urls.get((url, address, port))
        if pinned is None:
            pinned = httpx.URL(url).copy_with(host=address, port=port)
            self._urls[url, address, port] = pinned
        return pinned

    def _transport(self) -> httpx.AsyncHTTPTransport:
        """Return a connection that nobody uses.

        There is no client around it: a client keeps cookies, by which a service would know one
        sample from the last, and its pool looks through all connections at every step.
        """
        if self._free:
            return self._free.pop()
        self._tls = self._tls or httpx.create_ssl_context(trust_env=False)
        transport = httpx.AsyncHTTPTransport(
            verify=self._tls,
            trust_env=False,
            limits=httpx.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
        )
        self._all.append(transport)
        return transport

    async def check(self, url: str, *, key: str) -> None:
        """Resolve the host of `url`, once for the whole run.

        Raises:
            ConfigError: the policy does not allow the host, or its address is never asked.
            SystemStartError: the name is unknown.
        """
        host = place_of(url, key=key, hosts=self._hosts)
        if host not in self._addresses:
            addresses = self._addresses[host] = await resolve(host, key=key)
            if host.hidden:
                self._hidden.add_hosts((host.host, *addresses))

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
        for attempt in range(max(TRIES, len(addresses))):
            last = attempt + 1 >= max(TRIES, len(addresses))
            try:
                return await self._once(method, url, host, addresses[0], **parts)
            except _UNSENT as error:
                addresses.append(addresses.pop(0))  # the next may listen where this does not
                if last:
                    raise UnreachableError(self._connect_failed(host, error)) from error
            except httpx.HTTPError as error:
                if last or method != "GET":
                    raise BadReplyError(self._hidden.clean(f"no reply: {_told(error)}")) from error
            except _TryAgainError as error:
                if last or method != "GET":
                    final = UnavailableError if error.unavailable else BadReplyError
                    raise final(str(error)) from error
            if attempt + 1 >= len(addresses):
                await asyncio.sleep(0.2 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

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
        timeout = httpx.Timeout(self._timeout_s).as_dict()
        extensions = {"sni_hostname": host.host, "timeout": timeout}
        request = httpx.Request(method, pinned, headers=headers, extensions=extensions, **parts)
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

    def _check(self, response: httpx.Response, content: bytes) -> None:
        code = response.status_code
        if 200 <= code < 300:
            return
        if 300 <= code < 400:
            target = self._hidden.clean(response.headers.get("location", "nowhere"))
            raise BadReplyError(f"answered {code}, a redirect to {target}; none is followed")
        told = self._hidden.clean(content[:2000].decode("utf-8", "replace"))
        message = f"answered {code}{refusal(response, self._headers_env)}: {told}"
        if code in _AGAIN:
            raise _TryAgainError(message, unavailable=code == _UNAVAILABLE)
        raise BadReplyError(message)

    def _connect_failed(self, host: AllowedHost, error: Exception) -> str:
        hint = ""
        if host.host in {"localhost", "127.0.0.1", "::1"} and not host.hidden:
            hint = "; in a container localhost is the container itself: call a service by its name"
        return f"no connection to {host.told}: {self._hidden.clean(_told(error))}{hint}"


class _TryAgainError(Exception):
    """A status that a later attempt may not meet."""

    def __init__(self, message: str, *, unavailable: bool) -> None:
        super().__init__(message)
        self.unavailable = unavailable


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
