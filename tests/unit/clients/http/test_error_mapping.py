"""What a refusal holds for, and what can be done about it."""

from __future__ import annotations

import pytest

from ragate.clients.http.error_mapping import Fault, status_fault

KEY = "sk-canary-0123456789"
REFUSED = {
    401: ("provider", "check the key"),
    402: ("provider", "credit"),
    403: ("model", "check the key"),
    404: ("model", "base_url"),
    308: ("provider", "base_url"),
}


def refused(status: int, *, code: str | None = None) -> Fault:
    return status_fault(status, code=code, said=f"wrong: {KEY}", after=None)


@pytest.mark.parametrize(("status", "expected"), REFUSED.items(), ids=map(str, REFUSED))
def test_a_refusal_of_more_than_one_request_says_what_to_do(
    status: int, expected: tuple[str, str]
) -> None:
    found = refused(status)

    assert found.kind is None
    assert found.scope == expected[0]
    assert expected[1] in found.remedy
    assert KEY not in found.remedy
    assert not found.billed


def test_an_account_without_credit_is_no_call_too_many() -> None:
    found = refused(429, code="insufficient_quota")

    assert (found.kind, found.scope) == (None, "provider")
    assert "credit" in found.remedy


def test_a_refusal_of_one_request_holds_for_that_alone() -> None:
    assert refused(400).scope == refused(422).scope == "request"
