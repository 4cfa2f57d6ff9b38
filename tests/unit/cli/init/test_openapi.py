"""A service's own description, as frameworks write it and as nobody should."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.init.openapi import ways_in

QUESTION = {"properties": {"question": {"type": "string"}}, "required": ["question"]}


def described(schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"paths": {"/ask": {"post": {"requestBody": {"content": content}}}}}


@pytest.mark.parametrize(
    "field",
    [{"type": "string"}, {"type": ["string", "null"]}, {"anyOf": [{"type": "string"}]}, {}, 3],
    ids=str,
)
def test_a_field_for_the_question_is_found_whatever_its_type_is_written_like(field: Any) -> None:
    (way,) = ways_in(described({"properties": {"question": field}, "required": ["question"]}), "")

    assert way == {"url": "/ask", "body": '{"question": {{ query | tojson }}}'}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"description": "any"}, QUESTION]},
        {"oneOf": [{"type": "string"}, QUESTION]},
        {"anyOf": [{"nullable": True}, QUESTION]},
    ],
    ids=str,
)
def test_of_several_schemas_the_one_with_fields_is_taken(schema: Any) -> None:
    assert [way["body"] for way in ways_in(described(schema), "")] == [
        '{"question": {{ query | tojson }}}'
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": ["question"]},
        {"properties": {"question": {"type": "string"}}, "required": True},
        {"properties": {"question": {"type": "string"}}, "required": [["question"]]},
        {"properties": {"question": {"type": {}}}},
        {"allOf": 3},
        {"$ref": "#/nowhere"},
        None,
    ],
    ids=str,
)
def test_what_is_no_schema_is_passed_over(schema: Any) -> None:
    told = ways_in(described(schema), "")

    assert all(set(way) == {"url", "body"} for way in told)


def test_what_a_body_requires_within_its_objects_is_filled_in() -> None:
    overrides = {"type": "object", "properties": {"top": {"type": "integer"}}, "required": ["top"]}
    document = described(
        {
            "properties": {
                "input": {"type": "array"},
                "context": {"$ref": "#/components/schemas/Context"},
                "mode": {"enum": ["hybrid", "text"], "type": "string"},
            },
            "required": ["input", "context", "mode"],
        }
    )
    context = {"type": "object", "properties": {"overrides": overrides}, "required": ["overrides"]}
    document["components"] = {"schemas": {"Context": context}}

    body = ways_in(document, "")[0]["body"]

    assert '"context": {"overrides": {"top": 1}}' in body
    assert '"mode": "hybrid"' in body
    assert '"input": [{"role": "user"' in body


def test_a_list_of_messages_beside_a_required_question_is_what_was_said_before() -> None:
    fields = {"query": {"type": "string"}, "history": {"type": "array"}}

    asked = ways_in(described({"properties": fields, "required": ["query"]}), "")[0]
    chat = ways_in(described({"properties": fields}), "")[0]

    assert asked["body"] == '{"query": {{ query | tojson }}}'
    assert '"history": [{"role": "user"' in chat["body"]


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_question_in_the_query_string_is_asked_as_the_route_takes_it(method: str) -> None:
    parameters = [{"name": "q", "in": "query"}, {"name": "query", "in": "header"}, 3]
    document = {"paths": {"/find": {method: {"parameters": parameters}}}}

    (way,) = ways_in(document, "http://127.0.0.1:8000")

    assert way["url"] == "http://127.0.0.1:8000/find"
    assert (way["method"], way["params"]) == (method.upper(), {"q": "{{ query }}"})


def test_the_likeliest_path_stands_first_and_one_that_takes_an_id_nowhere() -> None:
    post = described(QUESTION)["paths"]["/ask"]
    get = {"get": {"parameters": [{"name": "question", "in": "query"}]}}
    paths = {
        "/ask": get,
        "/items": post,
        "/chat/items": post,
        "/chat/stream": post,
        "/chat": post,
        "/chat/{session}": post,
    }

    assert [way["url"] for way in ways_in({"paths": paths}, "")] == [
        "/chat",
        "/chat/items",
        "/chat/stream",
        "/items",
        "/ask",
    ]
