"""What is said of a service that lets nobody in without a key."""

from __future__ import annotations

import httpx2
import pytest

from ragate.systems.http.client import refusal


def said(status: int, sent: dict[str, str] | None = None, **headers: str) -> str:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return refusal(httpx2.Response(status, headers=named), sent or {})


def test_the_scheme_that_the_service_names_is_told():
    assert "the header Authorization, as `Bearer …`" in said(401, www_authenticate="Bearer realm=x")


@pytest.mark.parametrize("status", [401, 403])
def test_what_was_sent_and_not_taken_is_named_by_header_and_variable(status: int):
    assert "X-API-Key from RAG_API_KEY" in said(status, {"X-API-Key": "RAG_API_KEY"})


@pytest.mark.parametrize(("status", "words"), [(401, "wants a key"), (403, "wants perhaps a key")])
def test_where_nothing_was_sent_it_says_where_a_key_is_named(status: int, words: str):
    assert words in said(status)
    assert "headers_env" in said(status)


def test_another_failure_is_no_matter_of_keys():
    assert said(500, www_authenticate="Bearer") == ""
