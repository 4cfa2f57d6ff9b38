"""Where the http system may send a request."""

from __future__ import annotations

import asyncio

import pytest

from ragate.errors import ConfigError, SystemStartError
from ragate.systems.http.address import AllowedHost, place_of, refusal, resolve


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://rag.example/ask", "rag.example"),
        ("https://RAG.example:8443/ask", "rag.example"),
        ("http://rag.example:8080/", "rag.example:8080"),
        ("https://pr-7.preview.example/ask?x=1", "*.preview.example"),
        ("http://[::1]:9/", "[::1]:9"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
    ],
)
def test_a_host_of_the_policy_is_allowed(url: str, rule: str):
    assert place_of(url, key="url", hosts=["other.example", rule]).rule == rule


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://rag.example:8081/", "rag.example:8080"),
        ("http://evil.example/", "rag.example"),
        ("http://rag.example.evil.example/", "rag.example"),
        ("http://evilrag.example/", "rag.example"),
        ("http://preview.example/", "*.preview.example"),
        ("http://evilpreview.example/", "*.preview.example"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
    ],
)
def test_any_other_host_is_refused(url: str, rule: str):
    with pytest.raises(ConfigError, match=r"is not in \[policy\] http_hosts"):
        place_of(url, key="url", hosts=[rule])


@pytest.mark.parametrize(
    "url",
    [
        "ftp://rag.example/",
        "file:///etc/passwd",
        "gopher://rag.example/",
        "rag.example/ask",
        "http:///ask",
        "http://user:key@rag.example/",
        "http://rag.example/#part",
        "http://rag.example:99999/",
        "http://rag.example /",
        "http://rag.example\\@evil.example/",
        "http://rag.example\r\nX: y/",
        "http://[::1/",
        "http://rag.exämple/",
        "",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str):
    with pytest.raises(ConfigError, match="not an address that can be asked"):
        place_of(url, key="url", hosts=["rag.example", "evil.example", "[::1]"])


def test_the_host_itself_counts_before_a_pattern():
    hosts = ["*.rag.example", "a.rag.example"]

    assert place_of("http://a.rag.example/", key="url", hosts=hosts).named
    assert not place_of("http://b.rag.example/", key="url", hosts=hosts).named


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "fe80::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "ff02::1",
        "::ffff:0.0.0.0",
    ],
)
def test_addresses_of_the_machinery_are_never_asked(address: str):
    assert refusal(address, named=True)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "10.0.0.5", "172.17.0.2", "192.168.1.4", "fd12::1"]
)
def test_private_addresses_only_for_a_host_that_is_named(address: str):
    assert refusal(address, named=True) == ""
    assert "name the host itself" in refusal(address, named=False)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1"])
def test_public_addresses_are_asked(address: str):
    assert refusal(address, named=False) == ""


def place(host: str) -> AllowedHost:
    return AllowedHost("http", host, 80, named=True, rule=host)


def test_a_name_is_resolved_to_its_addresses():
    assert set(asyncio.run(resolve(place("localhost"), key="url"))) <= {"127.0.0.1", "::1"}


def test_a_literal_of_the_machinery_is_refused_before_any_connection():
    with pytest.raises(ConfigError, match="which is never asked"):
        asyncio.run(resolve(place("169.254.169.254"), key="url"))


def test_a_pattern_of_hosts_does_not_lead_to_this_machine():
    found = AllowedHost("http", "localhost", 80, named=False, rule="*.preview.example")

    with pytest.raises(ConfigError, match="name the host itself"):
        asyncio.run(resolve(found, key="url"))


def test_a_name_that_is_unknown_says_how_services_are_called():
    with pytest.raises(SystemStartError, match="by its name from a container"):
        asyncio.run(resolve(place("no-such-host.invalid"), key="url"))


@pytest.mark.parametrize(
    "hosts", [["rag.example", "rag.example:8080"], ["*.example", "rag.example"]]
)
def test_the_narrowest_rule_counts_in_whatever_order_they_stand(hosts: list[str]):
    narrow = max(hosts, key=len)

    for listed in (hosts, hosts[::-1]):
        assert place_of("http://rag.example:8080/", key="url", hosts=listed).rule == narrow
