"""Descriptions of an API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.detect.openapi import find_described
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
    assert found.first == {
        "url": "https://rag.example/v1/ask",
        "body": '{"query": {{ query | tojson }}, "k": 10}',
    }
    assert any("must run at https://rag.example/v1" in line for line in found.notes)


@pytest.mark.parametrize(
    "text", ["{", "[]", "a: &x [*x]", "{'paths': 3}", '{"paths": {"/a": {"post": []}}}', "\x00"]
)
def test_what_describes_nothing_is_passed_over(tmp_path: Path, text: str):
    (tmp_path / "openapi.yaml").write_text(text)
    (tmp_path / "openapi.json").write_text(text)

    assert not list(find_described(tmp_path))


def test_a_reference_that_leads_in_a_circle_ends(tmp_path: Path):
    document = json.loads(json.dumps(DOCUMENT))
    document["components"]["schemas"]["Q"] = {"$ref": "#/components/schemas/Q"}
    (tmp_path / "openapi.json").write_text(json.dumps(document))

    assert not list(find_described(tmp_path))
