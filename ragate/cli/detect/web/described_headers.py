"""Headers that a description of an API demands: OpenAPI's security schemes."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragate.cli.detect.web.wanted_header import WantedHeader, header_of


def described_headers(
    document: Mapping[str, Any], operation: Mapping[str, Any]
) -> tuple[list[WantedHeader], list[str]]:
    """Return the headers that an operation demands, and what it demands that is no header.

    Of several ways in the first that takes headers alone counts; none where one of them is open.
    """
    ways = operation.get("security", document.get("security"))
    named = [list(way) for way in ways if isinstance(way, dict)] if isinstance(ways, list) else []
    if not named or [] in named:
        return [], []
    read = [[_scheme(document, name) for name in way] for way in named]
    for way in read:
        headers = [part for part in way if isinstance(part, WantedHeader)]
        if len(headers) == len(way):
            return headers, []
    return [], [part for part in read[0] if isinstance(part, str)]


def _scheme(document: Mapping[str, Any], name: str) -> WantedHeader | str:
    schemes = document
    for key in ("components", "securitySchemes", name):
        below = schemes.get(key)
        schemes = below if isinstance(below, dict) else {}
    return next(_headers(schemes), f"{name} ({schemes.get('in') or schemes.get('type') or '?'})")


def _headers(scheme: Mapping[str, Any]) -> Iterator[WantedHeader]:
    kind = scheme.get("type")
    if kind == "http":
        yield header_of("Authorization", hint=str(scheme.get("scheme", "")))
    elif kind in {"oauth2", "openIdConnect"}:
        yield header_of("Authorization")
    elif kind == "apiKey" and scheme.get("in") == "header" and scheme.get("name"):
        yield WantedHeader(str(scheme["name"]))
