"""Where a request may go: a host of the policy, resolved once, and no address of the machinery."""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from ragate.errors import ConfigError, SystemStartError
from ragate.guards.secret_address import PORTS, ipv4_behind, why_no_secret

# Metadata services that are not link-local: AWS over IPv6, Alibaba, Azure's wire server, Oracle.
_METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"})
OF_VARIABLE = "the host in the variable"


@dataclass(frozen=True)
class AllowedHost:
    """One host and port, with the rule of the policy that allows it.

    Attributes:
        named: The rule names this very host, as opposed to a pattern.
        rule: The entry of ``http_hosts``.
        hidden: The address comes from a variable: no message shows it.
    """

    scheme: str
    host: str
    port: int
    named: bool
    rule: str
    hidden: bool = field(default=False, compare=False)

    @property
    def told(self) -> str:
        """Return host and port as a message may show them."""
        return OF_VARIABLE if self.hidden else f"{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """Return what the Host header says."""
        host = _bracketed(self.host)
        return host if PORTS[self.scheme] == self.port else f"{host}:{self.port}"


def place_of(url: str, *, key: str, hosts: Sequence[str]) -> AllowedHost:
    """Return the host of `url`, where the policy allows it.

    Args:
        key: The key of ``[system]`` that holds the address. Its value is never shown: it may
            come from a variable.

    Raises:
        ConfigError: it is no plain http(s) address, or its host is not in ``http_hosts``.
    """
    parts, port = _split(url, key)
    host, hidden = (parts.hostname or "").rstrip("."), key == "url_env"
    for rule in sorted(hosts, key=_looseness):
        if _matches(rule, host, port):
            return AllowedHost(parts.scheme, host, port, not rule.startswith("*."), rule, hidden)
    host_shown = OF_VARIABLE if hidden else f"the host {_shown(host, port)}"
    entry = "its host" if hidden else f'"{_shown(host, port)}"'
    raise ConfigError(
        f"[system] {key}: {host_shown} is not in [policy] http_hosts = {list(hosts)}",
        remedy=f"add {entry} to http_hosts (in CI the base branch's policy counts)",
    )


def _split(url: str, key: str) -> tuple[SplitResult, int]:
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
        host = parts.hostname or ""
    except ValueError:
        parts, port, host = urlsplit(""), 0, ""
    plain = not (parts.username or parts.password or parts.fragment)
    spaced = any(char.isspace() or ord(char) < 32 or char == "\\" for char in url)
    if parts.scheme not in PORTS or not host or not plain or spaced or not host.isascii():
        raise ConfigError(
            f"[system] {key}: not an address that can be asked",
            remedy="write http(s)://host[:port]/path, without a user, a key or a fragment; a name "
            "beyond ASCII in its xn-- form",
        )
    return parts, port


def _shown(host: str, port: int) -> str:
    return _bracketed(host) if port in PORTS.values() else f"{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _looseness(rule: str) -> tuple[bool, bool]:
    """Sort the host itself before a pattern, and a rule that names a port before one that does not.

    Only the latter lets a key go to that port.
    """
    return rule.startswith("*."), urlsplit(f"//{rule.removeprefix('*.')}").port is None


def _matches(rule: str, host: str, port: int) -> bool:
    """Whether `rule` allows it; a rule without a port allows every port of the host."""
    parts = urlsplit(f"//{rule.removeprefix('*.')}")
    if parts.port is not None and parts.port != port:
        return False
    allowed = parts.hostname or ""
    return host.endswith(f".{allowed}") if rule.startswith("*.") else host == allowed


async def resolve(place: AllowedHost, *, key: str) -> list[str]:
    """Return the addresses of a host: looked up once, so that a name cannot change its meaning.

    Raises:
        SystemStartError: the name is unknown.
        ConfigError: it leads to an address that is never asked.
    """
    loop = asyncio.get_running_loop()
    try:
        entries = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SystemStartError(
            f"[system] {key}: {place.told if place.hidden else f'the name {place.host!r}'} cannot "
            "be resolved",
            remedy="a service of the job is called by its name from a container, and by localhost "
            "and its mapped port from a plain step",
        ) from (None if place.hidden else error)
    addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in entries))
    for address in addresses:
        if reason := refusal(address, named=place.named):
            target = "an address" if place.hidden else address
            host_shown = place.told if place.hidden else place.host
            raise ConfigError(f"[system] {key}: {host_shown} leads to {target}, {reason}")
    return addresses


def refuse_secret(place: AllowedHost, addresses: Sequence[str], *, key: str, rule: str) -> None:
    """Raise where a host may be asked, and gets no secret.

    Args:
        addresses: What `resolve` found.
        rule: The entry that binds secrets to the host.

    Raises:
        ConfigError: says why, and what to write.
    """
    reason = why_no_secret(place.scheme, place.port, addresses, rule=rule)
    if not reason:
        return
    entry = "its host and port" if place.hidden else f'"{_bracketed(place.host)}:{place.port}"'
    raise ConfigError(
        f"[system] {key}: no key is sent to {place.told}: {reason}",
        remedy=f"write https:// and no port, or name what is meant: another port as {entry} in "
        "http_hosts and [policy.http_header_env], plain http by http:// before the entry of the "
        "latter",
    )


def refusal(text: str, *, named: bool) -> str:
    """Return why an address is not asked, "" where it may be.

    Args:
        named: The policy names the host itself; only then may it be this machine or a private one.
    """
    address = ipv4_behind(ipaddress.ip_address(text))
    if str(address) in _METADATA or address.is_link_local:
        return "an address of the machinery, which is never asked"
    if address.is_multicast or address.is_unspecified:
        return "which is no address of a service"
    if not named and not address.is_global:
        return "which is not public: name the host itself in [policy] http_hosts, not a pattern"
    return ""
