"""One HTTP request of ours and what came of it; decides nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pydantic import SecretStr

from ragate.support.escape import one_line

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True)
class HttpAnswer:
    """An HTTP answer, or what came in place of one (status 0)."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    sent: bool = True

    def message(self) -> str:
        try:
            text = json.loads(self.body)["message"]
        except (ValueError, KeyError, TypeError, RecursionError):
            text = self.body[:200].decode("utf-8", "replace")
        return one_line(str(text), 200)


def send(
    client: httpx.Client, method: str, url: str, *, max_bytes: int, **options: Any
) -> HttpAnswer:
    """Send one request and return the answer, read to at most `max_bytes`."""
    import httpx

    try:
        with client.stream(method, url, **options) as response:
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > max_bytes:
                    return HttpAnswer(-1, {}, f"more than {max_bytes} bytes".encode())
            headers = {name.lower(): value for name, value in response.headers.items()}
            return HttpAnswer(response.status_code, headers, bytes(content))
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        return HttpAnswer(0, {}, f"no connection: {error}".encode(), sent=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        # The exception holds the request with its headers, so that it is not passed on.
        return HttpAnswer(0, {}, f"no answer: {type(error).__name__}".encode())


def bearer(token: SecretStr, host: tuple[str, str]) -> Callable[[httpx.Request], httpx.Request]:
    def sign(request: httpx.Request) -> httpx.Request:
        if token.get_secret_value() and origin(str(request.url)) == host:
            request.headers["authorization"] = f"Bearer {token.get_secret_value()}"
        return request

    return sign


def moved_to(answer: HttpAnswer, url: str) -> str:
    """Return where a read of `url` is answered by now, as after a repository was renamed, or ""."""
    if answer.status not in (301, 302, 307, 308):
        return ""
    return urljoin(url, answer.headers.get("location", ""))


def origin(url: str) -> tuple[str, str]:
    """Return scheme and host, which a token belongs to."""
    address = urlsplit(url)
    return address.scheme, address.netloc
