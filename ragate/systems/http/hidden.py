"""Secrets that a service sends back, and hosts from a variable: no message may show them."""

import re
from collections.abc import Iterable, Sequence

from ragate.clients.http.redact import Redactor
from ragate.support.escape import one_line


class Hidden:
    """Cuts header values and hidden hosts out of what a service says.

    Args:
        secrets: Header values; what a service sends back of them is cut out on arrival, so that no
            message, run or baseline can hold one.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._parts = [part for secret in secrets for part in _parts(secret)]
        self._redact = Redactor(self._parts)
        self._hosts: list[re.Pattern[str]] = []

    def add_secrets(self, secrets: Iterable[str]) -> None:
        """Cut these out as well from now on."""
        self._parts += [part for secret in secrets for part in _parts(secret)]
        self._redact = Redactor(self._parts)

    def add_hosts(self, hosts: Iterable[str]) -> None:
        """Show none of these hosts and addresses from now on."""
        self._hosts += [_whole(host) for host in hosts]

    def without_secrets(self, content: bytes) -> bytes:
        """Return what a service sent, without secrets that came back."""
        text = content.decode("utf-8", "surrogateescape")
        return self._redact(text).encode("utf-8", "surrogateescape")

    def clean(self, text: str, limit: int = 200) -> str:
        """Return foreign text on one line, without secrets that came back and hidden hosts."""
        content = self.without_secrets(text.encode("utf-8", "replace"))
        shown = content.decode("utf-8", "replace")
        for pattern in self._hosts:
            shown = pattern.sub("***", shown)
        return one_line(shown, limit)


def _whole(host: str) -> re.Pattern[str]:
    """Return what finds a host in a message, and no part of a longer word."""
    return re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", re.IGNORECASE)


def _parts(secret: str) -> list[str]:
    """Return a header's value, and the token in it: services send back the one or the other."""
    token = secret.rpartition(" ")[2]
    return [secret, token] if len(token) >= 8 else [secret]
