"""OpenAPI's security schemes."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.detect.web.described_headers import described_headers

SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "login": {"type": "oauth2", "flows": {}},
    "key": {"type": "apiKey", "in": "header", "name": "X-Our-Key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "session"},
}


def headers(operation: dict[str, Any], **document: Any) -> tuple[list[tuple[str, str]], list[str]]:
    found, others = described_headers(
        {"components": {"securitySchemes": SCHEMES}, **document}, operation
    )
    return [(header.name, header.scheme) for header in found], others


@pytest.mark.parametrize(
    ("scheme", "header"),
    [
        ("bearer", ("Authorization", "Bearer")),
        ("basic", ("Authorization", "Basic")),
        ("login", ("Authorization", "Bearer")),
        ("key", ("X-Our-Key", "")),
    ],
)
def test_a_scheme_is_a_header(scheme: str, header: tuple[str, str]):
    assert headers({"security": [{scheme: []}]}) == ([header], [])


def test_what_holds_for_the_whole_api_holds_where_an_operation_says_nothing():
    assert headers({}, security=[{"key": []}])[0] == [("X-Our-Key", "")]
    assert headers({"security": []}, security=[{"key": []}])[0] == []


def test_an_open_way_needs_no_header():
    assert headers({"security": [{"key": []}, {}]}) == ([], [])


def test_of_several_ways_the_first_with_headers_alone_is_taken():
    assert headers({"security": [{"cookie": []}, {"key": [], "bearer": []}]})[0] == [
        ("X-Our-Key", ""),
        ("Authorization", "Bearer"),
    ]


@pytest.mark.parametrize("scheme", ["cookie", "unknown"])
def test_what_is_no_header_is_told(scheme: str):
    found, others = headers({"security": [{scheme: []}]})

    assert found == []
    assert others[0].startswith(scheme)


@pytest.mark.parametrize("security", [3, [3], {"key": []}, None])
def test_a_description_of_another_form_demands_nothing(security: object):
    assert headers({"security": security}) == ([], [])
