"""How GitHub's API is reached: an explicit proxy, a private certificate authority, or neither.

Nothing of the environment counts: a proxy sees where every call goes, and a pull request's own
code may have set a variable.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from ragate.errors import UsageError

if TYPE_CHECKING:
    import httpx

Sign = Callable[["httpx.Request"], "httpx.Request"]
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

    def client(self, timeout: httpx.Timeout, *, sign: Sign | None = None) -> httpx.Client:
        """Return a client that goes this way and no other.

        Raises:
            UsageError: the certificates cannot be read.
        """
        import httpx

        trusted = self._trusted()
        verify = trusted if trusted is not None else True
        proxy = self.proxy.get_secret_value()
        via = httpx.Proxy(proxy, ssl_context=trusted) if proxy else None
        return httpx.Client(trust_env=False, timeout=timeout, auth=sign, verify=verify, proxy=via)

    def _trusted(self) -> ssl.SSLContext | None:
        import httpx

        if not self.authority:
            return None
        context = httpx.create_ssl_context(trust_env=False)
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
