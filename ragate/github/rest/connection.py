"""How GitHub's API is reached, by an explicit proxy or a private authority, and one HTTP call.

Nothing of the environment counts: a proxy sees where every call goes, and a pull request's own
code may have set a variable.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pydantic import SecretStr

from ragate.errors import UsageError
from ragate.guards.authorities import authorities
from ragate.guards.escape import one_line

if TYPE_CHECKING:
    import httpx2


Sign = Callable[["httpx2.Request"], "httpx2.Request"]
_NONE = SecretStr("")


@dataclass(frozen=True)
class Connection:
    """The way to an enterprise server; by default straight, with the public authorities.

    Attributes:
        proxy: ``http(s)://[user:password@]host[:port]``, "" for none.
        authority: Certificates as PEM text, trusted beside the public ones; "" for none.
    """

    proxy: SecretStr = _NONE
    authority: str = ""

    def client(self, timeout: httpx2.Timeout, *, sign: Sign | None = None) -> httpx2.Client:
        """Return a client that goes this way and no other.

        Raises:
            UsageError: the certificates cannot be read.
        """
        import httpx2

        trusted = self._trusted() if self.authority else authorities()
        proxy = self.proxy.get_secret_value()
        via = httpx2.Proxy(proxy) if proxy else None
        if via is not None and via.url.scheme == "https":
            via.ssl_context = trusted
        return httpx2.Client(trust_env=False, timeout=timeout, auth=sign, verify=trusted, proxy=via)

    def _trusted(self) -> ssl.SSLContext:
        import httpx2

        context = httpx2.create_ssl_context(trust_env=False)
        try:
            context.load_verify_locations(cadata=self.authority)
        except (ssl.SSLError, ValueError) as error:
            raise UsageError(
                "input github-ca: not certificates that can be read",
                remedy="give the PEM text, with its BEGIN and END lines, as in ${{ vars.NAME }}",
            ) from error
        return context


def read_proxy(value: str) -> SecretStr:
    """Return the address of a proxy.

    Raises:
        UsageError: it is none; the value is not shown, since it may hold a password.
    """
    try:
        url = urlsplit(value)
        is_plain = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        url, is_plain = urlsplit(""), False
    beyond_host = url.path.strip("/") or url.query or url.fragment
    if value and (not is_plain or beyond_host or not re.fullmatch(r"[!-~]+", value)):
        raise UsageError(
            "input github-proxy: not the address of a proxy (not shown here)",
            remedy="write http(s)://[user:password@]host:port, or leave it out for none",
        )
    return SecretStr(value)


# One HTTP request of ours and what came of it; decides nothing.


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
    client: httpx2.Client, method: str, url: str, *, max_bytes: int, **options: Any
) -> HttpAnswer:
    """Send one request and return the answer, read to at most `max_bytes`."""
    import httpx2

    try:
        with client.stream(method, url, **options) as response:
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > max_bytes:
                    return HttpAnswer(-1, {}, f"more than {max_bytes} bytes".encode())
            headers = {name.lower(): value for name, value in response.headers.items()}
            return HttpAnswer(response.status_code, headers, bytes(content))
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        return HttpAnswer(0, {}, f"no connection: {error}".encode(), sent=False)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        # The exception holds the request with its headers, so that it is not passed on.
        return HttpAnswer(0, {}, f"no answer: {type(error).__name__}".encode())


def bearer(token: SecretStr, host: tuple[str, str]) -> Callable[[httpx2.Request], httpx2.Request]:
    def sign(request: httpx2.Request) -> httpx2.Request:
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
