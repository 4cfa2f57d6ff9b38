"""Requests to one service: pinned addresses, no redirects, nothing of the environment, a cap."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from ragate.escape import one_line
from ragate.systems._address import Place, place_of, resolve

MAX_BYTES = 16 * 1024 * 1024
TRIES = 3
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_AGAIN = frozenset({502, 503, 504})
# A connection that the server has meanwhile closed would cost a sample: its usual patience is 5 s.
_IDLE_S = 1.0


class UnreachableError(Exception):
    """No request reached the service."""


class BadReplyError(Exception):
    """The service answered, and not with what was asked for."""


@dataclass(frozen=True)
class Reply:
    """A whole reply, with a status of success."""

    headers: Mapping[str, str]
    content: bytes


class HttpClient:
    """Sends requests to the hosts that the policy allows.

    Args:
        secrets: Values that are cut out of every message.
    """

    def __init__(
        self, *, hosts: Sequence[str], timeout_s: float, concurrency: int, secrets: Sequence[str]
    ) -> None:
        self._hosts = hosts
        self._secrets = [one for one in secrets if one]
        self._addresses: dict[Place, list[str]] = {}
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            trust_env=False,
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=concurrency, keepalive_expiry=_IDLE_S),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def check(self, url: str, *, key: str) -> None:
        """Resolve the host of `url`, once for the whole run.

        Raises:
            ConfigError: the policy does not allow the host, or its address is never asked.
            SystemStartError: the name is unknown.
        """
        place = place_of(url, key=key, hosts=self._hosts)
        if place not in self._addresses:
            self._addresses[place] = await resolve(place, key=key)

    async def send(self, method: str, url: str, *, key: str, **parts: Any) -> Reply:
        """Return the reply to a request; `check` was called for its host.

        Raises:
            UnreachableError: it could not connect, also after trying again.
            BadReplyError: a status other than success, a body that is too long, or a broken reply.
        """
        place = place_of(url, key=key, hosts=self._hosts)
        addresses = self._addresses[place]
        for attempt in range(max(TRIES, len(addresses))):
            last = attempt + 1 >= max(TRIES, len(addresses))
            try:
                return await self._once(method, url, place, addresses[0], **parts)
            except _UNSENT as error:
                addresses.append(addresses.pop(0))  # the next may listen where this does not
                if last:
                    raise UnreachableError(self._connect_failed(place, error)) from error
            except httpx.HTTPError as error:
                if last or method != "GET":
                    raise BadReplyError(self.clean(f"no reply: {_told(error)}")) from error
            except _TryAgainError as error:
                if last or method != "GET":
                    raise BadReplyError(str(error)) from error
            if attempt + 1 >= len(addresses):
                await asyncio.sleep(0.2 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, method: str, url: str, place: Place, address: str, **parts: Any) -> Reply:
        pinned = httpx.URL(url).copy_with(host=address)
        headers = {**parts.pop("headers", {}), "Host": place.authority}
        headers["Accept-Encoding"] = "identity"
        request = self._client.build_request(method, pinned, headers=headers, **parts)
        request.extensions["sni_hostname"] = place.host
        response = await self._client.send(request, stream=True)
        try:
            content = await _content(response)
        finally:
            await response.aclose()
        self._check(response, content)
        return Reply(headers=dict(response.headers), content=content)

    def _check(self, response: httpx.Response, content: bytes) -> None:
        code = response.status_code
        if 200 <= code < 300:
            return
        if 300 <= code < 400:
            target = self.clean(response.headers.get("location", "nowhere"))
            raise BadReplyError(f"answered {code}, a redirect to {target}; none is followed")
        message = f"answered {code}: {self.clean(content[:2000].decode('utf-8', 'replace'))}"
        raise _TryAgainError(message) if code in _AGAIN else BadReplyError(message)

    def clean(self, text: str) -> str:
        """Return foreign text on one line, without a secret that a service sent back."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return one_line(text, 200)

    def _connect_failed(self, place: Place, error: Exception) -> str:
        hint = ""
        if place.host in {"localhost", "127.0.0.1", "::1"}:
            hint = "; in a container localhost is the container itself: call a service by its name"
        return f"no connection to {place.host}:{place.port}: {self.clean(_told(error))}{hint}"


class _TryAgainError(Exception):
    """A status that a later attempt may not meet."""


async def _content(response: httpx.Response) -> bytes:
    content = bytearray()
    async for part in response.aiter_bytes():
        content += part
        if len(content) > MAX_BYTES:
            raise BadReplyError(f"answered with more than {MAX_BYTES} bytes")
    return bytes(content)


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
