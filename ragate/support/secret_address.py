"""Where a key or a token may be sent: one rule for providers, services, tools and webhooks."""

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}
IN_CLEAR = "http://"
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def why_no_secret(scheme: str, port: int, addresses: Sequence[str], *, rule: str) -> str:
    """Return why no secret is sent to an address, "" where one may be.

    It goes over https, or over plain http to this machine and to private networks; and to the
    scheme's own port, or to the one that the rule names.

    Args:
        addresses: What the host's name leads to; without any, plain http is refused.
        rule: Who the secret is for, ``[http://]host[:port]``; with ``http://`` before it, plain
            http is allowed anywhere.
    """
    named = urlsplit(f"//{rule.removeprefix(IN_CLEAR).removeprefix('*.')}").port
    if port not in (named, PORTS.get(scheme)) or (named is not None and port != named):
        return f"a key goes to the port of {scheme}, or to one that is named with the host"
    inside = bool(addresses) and all(map(is_inside, addresses))
    if scheme != "https" and not inside and not rule.startswith(IN_CLEAR):
        return "a key goes over https, and this is plain http to a public address"
    return ""


def why_no_secret_at(url: str) -> str:
    """Return why no secret is sent to an address that names its scheme and its port itself.

    Raises:
        OSError: the host of a plain http address is unknown.
        ValueError: it is no address.
    """
    parts = urlsplit(url)
    port = parts.port or PORTS.get(parts.scheme, 0)
    addresses: list[str] = []
    if parts.scheme == "http":
        entries = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        addresses = [str(entry[4][0]).partition("%")[0] for entry in entries]
    return why_no_secret(parts.scheme, port, addresses, rule=parts.netloc.rpartition("@")[2])


def is_inside(text: str) -> bool:
    """Return whether an address is this machine's or one of a private network.

    One that a relay translates (6to4, Teredo, NAT64) is not, wherever it leads in the end.
    """
    address = ipaddress.ip_address(text)
    meant = ipv4_behind(address)
    is_translated = meant != address and getattr(address, "ipv4_mapped", None) is None
    return not meant.is_global and not is_translated


def ipv4_behind(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address
    )
