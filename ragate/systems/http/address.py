"""Where a request may go: a host of the policy, resolved once, and no address of the machinery."""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from ragate.errors import ConfigError, SystemStartError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Metadata services that are not link-local: AWS over IPv6, Alibaba, Azure's wire server, Oracle.
_METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
OF_VARIABLE = "the host in the variable"
_PORTS = {"http": 80, "https": 443}


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
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if _PORTS[self.scheme] == self.port else f"{host}:{self.port}"


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
    for rule in sorted(hosts, key=lambda one: one.startswith("*.")):  # the host itself first
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
        port = parts.port or _PORTS.get(parts.scheme, 0)
        host = parts.hostname or ""
    except ValueError:
        parts, port, host = urlsplit(""), 0, ""
    plain = not (parts.username or parts.password or parts.fragment)
    spaced = any(char.isspace() or ord(char) < 32 or char == "\\" for char in url)
    if parts.scheme not in _PORTS or not host or not plain or spaced or not host.isascii():
        raise ConfigError(
            f"[system] {key}: not an address that can be asked",
            remedy="write http(s)://host[:port]/path, without a user, a key or a fragment; a name "
            "beyond ASCII in its xn-- form",
        )
    return parts, port


def _shown(host: str, port: int) -> str:
    bracketed = f"[{host}]" if ":" in host else host
    return bracketed if port in _PORTS.values() else f"{bracketed}:{port}"


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


def refusal(text: str, *, named: bool) -> str:
    """Return why an address is not asked, "" where it may be.

    Args:
        named: The policy names the host itself; only then may it be this machine or a private one.
    """
    address = _inner(ipaddress.ip_address(text))
    if str(address) in _METADATA or address.is_link_local:
        return "an address of the machinery, which is never asked"
    if address.is_multicast or address.is_unspecified:
        return "which is no address of a service"
    if not named and not address.is_global:
        return "which is not public: name the host itself in [policy] http_hosts, not a pattern"
    return ""


def _inner(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address
    )
