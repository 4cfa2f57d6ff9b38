"""Addresses of providers."""

from __future__ import annotations

import pytest

from tests.unit.config.config_factories import changed, error_of


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host/v1",
        "https://user:key@host/v1",
        "https://host/v1?key=1",
        "https:///v1",
        "${BASE_URL}",
        "https://[::1/v1",
        "http://api.example:99999/v1",
    ],
)
def test_a_base_url_is_a_plain_http_address(url: str) -> None:
    assert "base_url" in error_of(changed("http://127.0.0.1:11434/v1", url))
