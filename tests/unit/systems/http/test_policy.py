"""Methods and paths of the policy, beside its hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import ConfigError
from ragate.systems.http.policy import check_request, is_allowed_path
from tests.unit.systems.using import resources_of


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/ask", "/ask"),
        ("/v1/x/ask", "/v1/*/ask"),
        ("/v1/a/b/c", "/v1/**"),
        ("/v1/", "/v1/**"),
        ("/caf%C3%A9", "/*"),
        ("/", "/**"),
        ("/anything/../at//all", "/**"),
    ],
)
def test_a_path_that_a_pattern_names_is_allowed(path: str, pattern: str) -> None:
    assert is_allowed_path(path, ["/other", pattern])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/ask/", "/ask"),
        ("/asks", "/ask"),
        ("/v1/x/y/ask", "/v1/*/ask"),
        ("/v1", "/v1/**"),
        ("/v1/../admin", "/v1/**"),
        ("/v1/%2e%2e/admin", "/v1/**"),
        ("/v1/%252e%252e/admin", "/v1/**"),
        ("/v1/..%5cadmin", "/v1/**"),
        ("/v1//admin", "/v1/**"),
        ("/v1/..;/admin", "/v1/**"),
        ("/v1%2fadmin", "/*"),
        ("/axb", "/a.b"),
    ],
)
def test_a_path_that_none_names_or_that_servers_read_differently_is_not(
    path: str, pattern: str
) -> None:
    assert not is_allowed_path(path, [pattern])


def test_the_path_of_a_variables_address_is_not_shown() -> None:
    url = "http://rag.example/canary-4711"
    rules = resources_of(Path(), http_methods=("GET",), http_paths=("/ask",))
    with pytest.raises(ConfigError) as raised:
        check_request("GET", url, key="url_env", rules=rules)
    assert "canary" not in str(raised.value)
    with pytest.raises(ConfigError, match="/canary-4711"):
        check_request("GET", url, key="url", rules=rules)
