"""Descriptions of an API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.detect.web.openapi import find_described
from tests.unit.cli.detect.code import only

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://rag.example/v1/"}],
    "paths": {
        "/ask": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Q"}}}
                },
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/R"}}
                        }
                    }
                },
            }
        },
        "/ingest": {"post": {}},
        "/bad": 3,
    },
    "components": {
        "schemas": {
            "Q": {
                "properties": {"query": {"type": "string"}, "k": {"type": "integer"}},
                "required": ["query", "k"],
            },
            "R": {
                "properties": {
                    "answer": {"type": "string"},
                    "documents": {"type": "array", "items": {"$ref": "#/components/schemas/D"}},
                }
            },
            "D": {"properties": {"id": {"type": "string"}, "text": {"type": "string"}}},
        }
    },
}


@pytest.mark.parametrize("name", ["openapi.json", "docs/openapi.yaml"])
def test_an_operation_with_a_question_is_found(tmp_path: Path, name: str):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(DOCUMENT) if name.endswith("json") else yaml.safe_dump(DOCUMENT))

    found = only(list(find_described(tmp_path)))

    assert found.policy == {"http_hosts": ["rag.example"]}
    assert found.settings == {
        "url": "https://rag.example/v1/ask",
        "body": '{"query": {{ query | tojson }}, "k": 10}',
        "pointers": {
            "answer": "/answer",
            "contexts": "/documents/*/text",
            "ids": "/documents/*/id",
        },
    }
    assert any("must run at https://rag.example/v1" in line for line in found.unsure)


@pytest.mark.parametrize(
    "text", ["{", "[]", "a: &x [*x]", "{'paths': 3}", '{"paths": {"/a": {"post": []}}}', "\x00"]
)
def test_what_describes_nothing_is_passed_over(tmp_path: Path, text: str):
    (tmp_path / "openapi.yaml").write_text(text)
    (tmp_path / "openapi.json").write_text(text)

    assert not list(find_described(tmp_path))


def test_a_reference_that_leads_in_a_circle_ends(tmp_path: Path):
    document = json.loads(json.dumps(DOCUMENT))
    document["components"]["schemas"]["D"] = {"$ref": "#/components/schemas/D"}
    (tmp_path / "openapi.json").write_text(json.dumps(document))

    assert only(list(find_described(tmp_path))).settings["pointers"]["answer"] == "/answer"


def test_a_header_that_the_api_demands_is_sent_and_what_is_none_is_told(tmp_path: Path):
    key = {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    cookie = {"type": "apiKey", "in": "cookie", "name": "session"}
    for name, scheme in (("a", key), ("b", cookie)):
        components = {**DOCUMENT["components"], "securitySchemes": {"way": scheme}}
        secured = {**DOCUMENT, "components": components, "security": [{"way": []}]}
        (tmp_path / name).mkdir()
        (tmp_path / name / "openapi.json").write_text(json.dumps(secured))

    by_header = only(list(find_described(tmp_path / "a")))
    by_cookie = only(list(find_described(tmp_path / "b")))

    assert by_header.settings["headers_env"] == {"X-API-Key": "RAG_API_KEY"}
    assert by_header.policy["http_header_env"] == {"rag.example": ["RAG_API_KEY"]}
    assert "headers_env" not in by_cookie.settings
    assert "way (cookie), which ragate cannot send" in by_cookie.unsure[-1]
