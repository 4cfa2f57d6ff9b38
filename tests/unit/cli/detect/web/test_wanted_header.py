"""How a configuration sends a header that a service wants."""

from __future__ import annotations

import pytest

from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.web.wanted_header import WantedHeader, header_of, with_headers

SERVICE = FoundSystem("http", "a service", 60, policy={"http_hosts": ["127.0.0.1:8000"]})


@pytest.mark.parametrize(
    ("name", "spelt", "variable"),
    [
        ("authorization", "Authorization", "RAG_AUTHORIZATION"),
        ("x_api_key", "X-API-Key", "RAG_API_KEY"),
        ("rag-token", "Rag-Token", "RAG_TOKEN"),
    ],
)
def test_a_header_is_spelt_as_usual_and_has_a_variable(name: str, spelt: str, variable: str):
    header = header_of(name)

    assert (header.name, header.variable) == (spelt, variable)


def test_the_configuration_names_variables_and_the_policy_allows_them():
    found = with_headers(SERVICE, [header_of("authorization")])

    assert found.settings["headers_env"] == {"Authorization": "RAG_AUTHORIZATION"}
    assert found.policy["http_header_env"] == {"127.0.0.1:8000": ["RAG_AUTHORIZATION"]}
    assert 'set RAG_AUTHORIZATION="Bearer …"' in found.unsure[-1]


def test_without_a_header_nothing_changes():
    assert with_headers(SERVICE, []) == SERVICE


def test_a_header_without_a_scheme_shows_the_key_alone():
    assert WantedHeader("X-API-Key").example == 'RAG_API_KEY="…"'
