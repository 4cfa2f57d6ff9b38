"""Schemas of tools."""

from __future__ import annotations

import pytest

from ragate.files.json_schema import SchemaError, tool_schema, violation


def test_types_in_other_words_are_read_wherever_they_stand() -> None:
    schema = tool_schema(
        {
            "type": "dict",
            "properties": {
                "type": {"type": "any"},
                "at": {"type": "tuple", "items": {"type": "float"}},
            },
        }
    )

    assert schema == {
        "type": "object",
        "properties": {"type": {}, "at": {"type": "array", "items": {"type": "number"}}},
        "additionalProperties": False,
    }


def test_a_schema_may_leave_itself_open() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": True}

    assert violation({"x": 1}, tool_schema(schema)) == ""


@pytest.mark.parametrize("schema", [{"type": "strng"}, {"required": "x"}, {"enum": 3}])
def test_what_is_no_schema_is_told(schema: dict[str, object]) -> None:
    with pytest.raises(SchemaError, match="is no JSON Schema: "):
        tool_schema(schema)


def test_a_violation_names_its_place() -> None:
    schema = tool_schema({"properties": {"k": {"type": "array", "items": {"type": "integer"}}}})

    assert violation({"k": [1, "2"]}, schema) == "k.1: '2' is not of type 'integer'"


@pytest.mark.parametrize("target", ["http://localhost:9/schema", "file:///etc/hosts", "#/no"])
def test_a_reference_out_of_the_schema_is_never_followed(target: str) -> None:
    with pytest.raises(SchemaError, match="a reference leads nowhere"):
        violation(1, {"$ref": target})


@pytest.mark.parametrize("target", ["http://localhost:9/schema", "#/$defs/no"])
def test_a_reference_that_leads_nowhere_is_told_when_the_schema_is_read(target: str) -> None:
    with pytest.raises(SchemaError, match="a reference leads nowhere"):
        tool_schema({"properties": {"city": {"$ref": target}}})


def test_a_reference_back_to_itself_is_told() -> None:
    with pytest.raises(SchemaError, match="a reference leads back to itself"):
        tool_schema({"$ref": "#"})


def test_a_dialect_that_is_no_text_is_told() -> None:
    with pytest.raises(SchemaError, match=r"\$schema is 5"):
        tool_schema({"$schema": 5})


def test_a_value_nested_without_end_is_a_violation() -> None:
    schema = tool_schema(
        {"properties": {"of": {"$ref": "#"}, "is": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}}
    )
    value: dict[str, object] = {}
    for _ in range(400):
        value = {"of": value}

    assert violation(value, schema) == "nested too deeply to be checked"
