"""What the policy and the environment give to a request: keys, an address, and the wanted build."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from ragate.errors import ConfigError, ProviderError
from ragate.guards.escape import one_line
from ragate.guards.redact import Redactor
from ragate.guards.secret_address import IN_CLEAR, odd_character
from ragate.protocols import Resources
from ragate.systems.http.address import AllowedHost

_SHORT_SHA = re.compile(r"[0-9a-f]{7,64}")


def is_commit(found: Any, head: str) -> bool:
    """Whether `found` is the commit `head`, whole or its first 7 digits or more."""
    text = found.strip().lower() if isinstance(found, str) else ""
    return bool(_SHORT_SHA.fullmatch(text)) and head.startswith(text)


class HttpRules(Protocol):
    """What may be asked over HTTP: a policy says it, and resources hand it on."""

    @property
    def http_methods(self) -> Sequence[str]: ...

    @property
    def http_paths(self) -> Sequence[str]: ...


def check_request(method: str, url: str, *, key: str, rules: HttpRules) -> None:
    """Check a request's method and path against the policy.

    Args:
        key: The key of ``[system]`` that holds the address.

    Raises:
        ConfigError: the method or the path is not allowed; a path of a variable is not shown.
    """
    methods, paths = rules.http_methods, rules.http_paths
    if method not in methods:
        asked = "method" if key in ("url", "url_env") else key
        raise ConfigError(
            f"[system] {asked}: {method} is not in [policy] http_methods = {list(methods)}",
            remedy=f'add "{method}" to http_methods (in CI the base branch\'s policy counts)',
        )
    path = urlsplit(url).path or "/"
    if not is_allowed_path(path, paths):
        shown = "the path of the variable's address" if key == "url_env" else f"the path {path!r}"
        raise ConfigError(
            f"[system] {key}: {shown} is not in [policy] http_paths = {list(paths)}",
            remedy="add it to http_paths (in CI the base branch's policy counts)",
        )


def is_allowed_path(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern allows the path: ``**`` for any folders, ``*`` within one.

    A path that servers read in different ways (dots, a slash twice, an escape within an escape) is
    allowed by ``/**`` only.
    """
    if "/**" in patterns:
        return True
    decoded = unquote(path)
    parts = decoded.split("/")[1:]
    odd = {".", ".."} & set(parts) or "" in parts[:-1] or set(decoded) & set("%\\;")
    return not odd and any(_path_pattern(pattern).fullmatch(decoded) for pattern in patterns)


@cache
def _path_pattern(pattern: str) -> re.Pattern[str]:
    forms = {"**": ".*", "*": "[^/]*"}
    parts = (forms.get(part, re.escape(part)) for part in re.split(r"(\*\*|\*)", pattern))
    return re.compile("".join(parts), re.DOTALL)


@dataclass(frozen=True)
class HeaderSecrets:
    """Headers whose values are in variables.

    Attributes:
        rule: The entry of ``http_header_env`` that lets them go to the host; "" without any.
    """

    headers: dict[str, str]
    rule: str = ""


def header_secrets(
    headers_env: Mapping[str, str], resources: Resources, *, host: AllowedHost
) -> HeaderSecrets:
    """Return the headers whose values are in variables.

    Args:
        headers_env: By header, the variable.

    Raises:
        ConfigError: the policy does not let this variable go to this host.
        ProviderError: the variable is not set.
    """
    rule, in_clear = host.rule, f"{IN_CLEAR}{host.rule}"
    if host.scheme == "http" and in_clear in resources.http_header_env:
        rule = in_clear
    allowed = resources.http_header_env.get(rule, ())
    headers: dict[str, str] = {}
    for header, name in headers_env.items():
        if name not in allowed:
            raise ConfigError(
                f"[system] headers_env: the variable {name!r} may not be sent to {rule}",
                remedy=f'add it to the policy: [policy.http_header_env] "{rule}" = ["{name}"] (in '
                "CI the base branch's policy counts)",
            )
        value = resources.environment.get(name, "").strip()
        if not value:
            raise ProviderError(
                f"[system] headers_env: the environment variable {name} is not set",
                remedy=f"set {name} to the whole value of the header {header}",
            )
        if odd := odd_character(value):
            raise ConfigError(
                f"[system] headers_env: the value of {name} fits no header: {odd}",
                remedy=f"set {name} again without the characters that were pasted along",
            )
        headers[header] = value
    return HeaderSecrets(headers, rule if headers else "")


def address_in(name: str, resources: Resources) -> str:
    value = "" if name in resources.key_names else resources.environment.get(name, "").strip()
    if not value:
        raise ConfigError(
            f"[system] url_env: the environment variable {name} holds no address",
            remedy=f"set {name} in the step that knows where the service is",
        )
    return value


# Secrets that a service sends back, and hosts from a variable: no message may show them.


class Hidden:
    """Cuts header values and hidden hosts out of what a service says.

    Args:
        secrets: Header values; what a service sends back of them is cut out on arrival, so that no
            message, run or baseline can hold one.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._parts: list[str] = []
        self._hosts: list[re.Pattern[str]] = []
        self.add_secrets(secrets)

    def add_secrets(self, secrets: Iterable[str]) -> None:
        """Cut these out as well from now on."""
        self._parts += [part for secret in secrets for part in _parts(secret)]
        self._redact = Redactor(self._parts)

    def add_hosts(self, hosts: Iterable[str]) -> None:
        """Show none of these hosts and addresses from now on."""
        self._hosts += [_whole(host) for host in hosts]

    def without_secrets(self, content: bytes) -> bytes:
        """Return what a service sent, without secrets that came back."""
        return self._redact.cut(content)

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
