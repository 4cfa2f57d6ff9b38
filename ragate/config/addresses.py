"""The form of paths, hosts and addresses in the policy; each function returns what it was given."""

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

_HOST = re.compile(
    r"(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?|\[[0-9a-f:]+\](:[0-9]{1,5})?"
)


def pattern(value: str) -> str:
    path = PurePosixPath(value)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in value:
        raise ValueError("a pattern is relative to the folder of ragate.toml and stays inside it")
    return value


def host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError("write a host in lower case, with a port or without: rag.example:8080")
    if value.startswith("*.") and "." not in value[2:]:
        raise ValueError("below * there must be a domain of your own: *.preview.example")
    return value


def url_path(value: str) -> str:
    """Check a pattern of paths; a query is no part of a path."""
    plain = value.isascii() and value.isprintable() and not set(value) & set(" ?#%\\")
    if not value.startswith("/") or not plain or {".", ".."} & set(value.split("/")):
        raise ValueError("write a path from its first slash, with * or **: /ask, /v1/*/ask, /v1/**")
    return value


def base_url(value: str) -> str:
    parts = urlsplit(value)
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise ValueError("write http(s)://host[:port][/path], without a user, a key or a query")
    return value
