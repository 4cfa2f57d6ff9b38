"""Where a key or a token may be sent: one rule for providers, services, tools and webhooks."""

import ipaddress
import socket
import unicodedata
from collections.abc import Sequence
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}
IN_CLEAR = "http://"
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Not 100.64.0.0/10 (a carrier's, shared with strangers) and not link-local (anybody on the wire).
_INSIDE = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/32",
            "127.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "::/128",
            "::1/128",
            "fc00::/7",
        ),
    )
)


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
    """Return whether an address is this machine's or one of a private network (RFC 1918, 4193).

    One that a relay translates (6to4, Teredo, NAT64) is not, wherever it leads in the end.
    """
    address = ipaddress.ip_address(text)
    meant = ipv4_behind(address)
    is_translated = meant != address and getattr(address, "ipv4_mapped", None) is None
    return not is_translated and any(meant in network for network in _INSIDE)


def ipv4_behind(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address
    )


def odd_character(value: str) -> str:
    """Return what of a key fits no header, "" where all of it does: ASCII that can be seen."""
    for place, char in enumerate(value, start=1):
        if not " " <= char <= "~":
            name = unicodedata.name(char, "a control character")
            return f"character {place} is {name} (U+{ord(char):04X})"
    return ""
