"""Which hosts, methods and paths are asked, and who gets a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, ProviderError
from tests.integration.systems.http.services import ECHO, SECRET, asked, key, one, refused
from tests.servers.rag_server import Sent, rag_server
from tests.unit.systems.using import ask, message

pytestmark = pytest.mark.integration


def test_a_redirect_is_not_followed(tmp_path: Path):
    with rag_server(ECHO) as other:
        sent = Sent(status=307, headers={"location": other.url})
        output = one(lambda _: sent, tmp_path, given={"http_hosts": ("127.0.0.1",)})

    assert "answered 307" in message(output)
    assert other.requests == []


def test_a_host_that_the_policy_does_not_list_is_never_asked(tmp_path: Path):
    told = "is not in [policy] http_hosts = ['rag.example']"

    refused(tmp_path, ConfigError, told, given={"http_hosts": ("rag.example",)})


def test_health_and_version_addresses_are_held_to_the_policy_too(tmp_path: Path):
    refused(tmp_path, ConfigError, "[system] health: the host", health="http://evil.example/")


def test_a_metadata_address_is_never_asked_though_it_is_listed(tmp_path: Path):
    url = "http://169.254.169.254/latest/meta-data"

    with pytest.raises(ConfigError, match="never asked"):
        ask("http", {"url": url}, tmp_path, http_hosts=("169.254.169.254",))


def test_a_key_goes_to_the_host_that_the_policy_binds_it_to(tmp_path: Path):
    with rag_server(ECHO) as server:
        asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=key(server))

    assert server.requests[0].headers["authorization"] == SECRET


@pytest.mark.parametrize("bound", [{}, {"rag.example": ("RAG_AUTH",)}])
def test_a_key_that_is_not_bound_to_this_host_is_not_sent(tmp_path: Path, bound: Any):
    with rag_server(ECHO) as server:
        given = key(server, http_header_env=bound)
        with pytest.raises(ConfigError, match="'RAG_AUTH' may not be sent to 127") as raised:
            asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=given)

    assert server.requests == []
    assert "canary" not in str(raised.value)


def test_a_key_that_is_not_set_is_named(tmp_path: Path):
    with rag_server(ECHO) as server:
        given = key(server, environment={})
        with pytest.raises(ProviderError, match="RAG_AUTH is not set"):
            asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=given)


@pytest.mark.parametrize(
    ("rules", "settings", "told"),
    [
        ({"http_methods": ("GET",)}, {}, "http_methods"),
        ({"http_methods": ("POST",)}, {"health": "{}"}, "health: GET is not in"),
        ({"http_paths": ("/v1/*",)}, {}, "http_paths"),
        ({"http_paths": ("/ask",)}, {"health": "{}/up"}, "health: the path '/ask/up'"),
        ({"http_paths": ("/ask",)}, {"version_url": "{}/v", "version_header": "x"}, "http_paths"),
    ],
)
def test_a_method_or_a_path_that_the_policy_does_not_allow_is_not_asked(
    tmp_path: Path, rules: dict[str, Any], settings: dict[str, str], told: str
):
    with rag_server(ECHO) as server:
        keys = {key: text.replace("{}", server.url) for key, text in settings.items()}
        (tmp_path / ".git").mkdir()
        with pytest.raises(ConfigError, match=re.escape(told)):
            asked(server, tmp_path, given={**rules, "commit": "a" * 40}, **keys)
        assert server.requests == []


def test_methods_and_paths_that_the_policy_names_are_asked(tmp_path: Path):
    with rag_server(ECHO) as server:
        rules = {"http_methods": ("POST",), "http_paths": ("/a*",)}
        assert asked(server, tmp_path, given=rules).answer
