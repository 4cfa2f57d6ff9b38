"""OpenTelemetry's variables say where a signal goes and how, as its SDK reads them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.util.re import parse_env_headers

from ragate.telemetry.collector.destination import TIMEOUT_S, Destination, destination

PREFIX = "OTEL_EXPORTER_OTLP"
OWN = {"content-type", "user-agent"}


def given_variables(patch: pytest.MonkeyPatch, **variables: str) -> Destination:
    for name, value in variables.items():
        patch.setenv(f"{PREFIX}_{name}", value)
    return destination("traces")


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, "http://localhost:4318/v1/traces"),
        ({"ENDPOINT": ""}, "http://localhost:4318/v1/traces"),
        ({"ENDPOINT": "https://a.example:1"}, "https://a.example:1/v1/traces"),
        ({"ENDPOINT": "https://a.example/otlp/"}, "https://a.example/otlp/v1/traces"),
        ({"ENDPOINT": "http://a", "TRACES_ENDPOINT": "http://b/t"}, "http://b/t"),
        ({"LOGS_ENDPOINT": "http://b/t"}, "http://localhost:4318/v1/traces"),
    ],
)
def test_the_address_is_the_signals_own_or_below_the_common_one(monkeypatch, variables, url):
    assert given_variables(monkeypatch, **variables).url == url


@pytest.mark.parametrize(
    ("name", "value", "attribute", "read"),
    [
        ("TIMEOUT", "7.5", "timeout_s", 7.5),
        ("TIMEOUT", "", "timeout_s", TIMEOUT_S),
        ("TIMEOUT", "soon", "timeout_s", TIMEOUT_S),
        ("TIMEOUT", "-1", "timeout_s", TIMEOUT_S),
        ("TIMEOUT", "nan", "timeout_s", TIMEOUT_S),
        ("COMPRESSION", " GZIP ", "compression", "gzip"),
        ("COMPRESSION", "deflate", "compression", "deflate"),
        ("COMPRESSION", "zip", "compression", "none"),
        ("CERTIFICATE", "/ca.pem", "certificate", "/ca.pem"),
        ("CLIENT_CERTIFICATE", "/me.pem", "client_certificate", "/me.pem"),
        ("CLIENT_KEY", "/me.key", "client_key", "/me.key"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "TRACES_"])
def test_how_is_said_for_all_or_for_one(monkeypatch, prefix, name, value, attribute, read):
    found = given_variables(monkeypatch, **{f"{prefix}{name}": value})

    assert getattr(found, attribute) == read


def test_a_signals_own_headers_stand_in_place_of_the_common_ones(monkeypatch):
    found = given_variables(monkeypatch, HEADERS="a=1", TRACES_HEADERS="b=2")

    assert set(found.headers) == {"b", *OWN}
    assert destination("logs").headers.items() >= {("a", "1")}


@given(
    st.lists(
        st.tuples(
            st.text(max_size=8),
            st.sampled_from(["=", "", " = ", "=="]),
            st.one_of(st.text(max_size=12), st.sampled_from(["a b", "a%20b", "%zz", "x;y", '"q"'])),
        ),
        max_size=4,
    )
)
def test_headers_are_read_as_the_sdk_reads_them(parts: list[Any]):
    text = ",".join("".join(part) for part in parts).replace("\0", "").replace("\ud800", "")
    text = text.encode("utf-8", "ignore").decode()
    with pytest.MonkeyPatch.context() as patch:
        found = given_variables(patch, HEADERS=text).headers

    expected = parse_env_headers(text, liberal=True)
    assert {name: found[name] for name in expected} == expected
    assert set(found) - set(expected) <= OWN


def test_a_key_is_in_no_message(monkeypatch):
    assert "s3cret" not in repr(given_variables(monkeypatch, HEADERS="x-api-key=s3cret"))
