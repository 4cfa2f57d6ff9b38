"""Where a key may be sent."""

from __future__ import annotations

import socket

import pytest

from ragate.guards.secret_address import (
    PORTS,
    is_inside,
    odd_character,
    why_no_secret,
    why_no_secret_at,
)

PUBLIC, PRIVATE = ["93.184.216.34"], ["10.0.0.5", "fd12::1"]


@pytest.mark.parametrize(
    ("scheme", "port", "addresses", "rule"),
    [
        ("https", 443, PUBLIC, "rag.example"),
        ("https", 443, [], "rag.example"),
        ("https", 8443, PUBLIC, "rag.example:8443"),
        ("https", 443, PUBLIC, "*.preview.example"),
        ("https", 8443, PUBLIC, "*.preview.example:8443"),
        ("http", 80, PRIVATE, "rag"),
        ("http", 8000, ["127.0.0.1", "::1"], "localhost:8000"),
        ("http", 9, ["::1"], "[::1]:9"),
        ("http", 80, PUBLIC, "http://rag.example"),
        ("http", 8080, PUBLIC, "http://rag.example:8080"),
    ],
)
def test_a_key_goes_over_https_or_to_a_network_of_ones_own(
    scheme: str, port: int, addresses: list[str], rule: str
) -> None:
    assert why_no_secret(scheme, port, addresses, rule=rule) == ""


@pytest.mark.parametrize(
    ("addresses", "rule"),
    [
        (PUBLIC, "rag.example"),
        (PUBLIC, "rag.example:80"),
        ([*PRIVATE, *PUBLIC], "rag.example"),
        ([], "rag.example"),
        (["::ffff:93.184.216.34"], "rag.example"),
        (["64:ff9b::5db8:d822"], "rag.example"),
        (["2606:2800:220:1::1"], "rag.example"),
        (["100.64.0.1"], "rag.example"),
        (["100.127.255.254"], "rag.example"),
        (["169.254.1.1"], "rag.example"),
        (["fe80::1"], "rag.example"),
        (["::ffff:100.64.0.1"], "rag.example"),
        (["198.18.0.1"], "rag.example"),
    ],
)
def test_no_key_goes_to_a_public_address_over_plain_http(addresses: list[str], rule: str) -> None:
    assert "goes over https" in why_no_secret("http", 80, addresses, rule=rule)


@pytest.mark.parametrize(
    ("scheme", "port", "rule"),
    [
        ("https", 8443, "rag.example"),
        ("https", 443, "rag.example:8443"),
        ("https", 80, "rag.example"),
        ("http", 443, "127.0.0.1"),
        ("http", 8000, "127.0.0.1"),
        ("http", 8000, "http://rag.example"),
        ("http", 8000, "http://rag.example:8001"),
        ("https", 8443, "*.preview.example"),
    ],
)
def test_no_key_goes_to_a_port_that_is_neither_named_nor_the_schemes(
    scheme: str, port: int, rule: str
) -> None:
    assert "goes to the port of" in why_no_secret(scheme, port, ["127.0.0.1"], rule=rule)


@pytest.mark.parametrize("scheme", ["ftp", "ws", ""])
def test_no_key_goes_another_way(scheme: str) -> None:
    assert why_no_secret(scheme, 443, PUBLIC, rule="rag.example:443")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://[::1]/", "https://x.example:8/"])
def test_an_address_names_its_own_scheme_and_port(url: str) -> None:
    assert why_no_secret_at(url) == ""


def test_a_name_that_leads_outside_gets_no_key_over_plain_http(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC[0], PORTS["http"]))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: found)

    assert "goes over https" in why_no_secret_at("http://llm.example/v1")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "10.1.2.3", "172.17.0.2", "fd12::1", "192.168.1.1", "::ffff:10.0.0.1"],
)
def test_this_machine_and_private_networks_are_inside(address: str) -> None:
    assert is_inside(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "2606:2800::1", "::ffff:8.8.8.8", "2002:a00:1::1", "64:ff9b::a00:1"],
)
def test_public_and_translated_addresses_are_not(address: str) -> None:
    assert not is_inside(address)


@pytest.mark.parametrize(
    ("key", "odd"),
    [
        ("sk-plain_0123", ""),
        ("sk\u200b-1", "character 3 is ZERO WIDTH SPACE (U+200B)"),
        ("clé", "character 3 is LATIN SMALL LETTER E WITH ACUTE (U+00E9)"),
        ("sk\r\n", "character 3 is a control character (U+000D)"),
        ("sk\x7f", "character 3 is a control character (U+007F)"),
    ],
)
def test_a_character_that_no_header_holds_is_named_by_its_place(key: str, odd: str) -> None:
    assert odd_character(key) == odd
