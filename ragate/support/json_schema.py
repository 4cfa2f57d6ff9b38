"""JSON Schemas of tools: read in the spellings that are in use, and checked against."""

from collections.abc import Mapping
from typing import Any

from ragate.support.settings import shown

# Types of Python and of the Berkeley leaderboard, in JSON Schema's words; "" is any type.
_TYPES = {"dict": "object", "float": "number", "double": "number", "tuple": "array"}
_TYPES |= {"list": "array", "str": "string", "int": "integer", "bool": "boolean", "any": ""}
_IN_ONE = frozenset({"items", "additionalProperties", "not", "contains", "propertyNames"})
_IN_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_LONGEST = 200  # characters of a message


class SchemaError(ValueError):
    """What should be a JSON Schema is none."""


def tool_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments in JSON Schema's own words.

    An argument that it does not name is wrong, unless it says otherwise.

    Raises:
        SchemaError: it is no JSON Schema.
    """
    import jsonschema

    read: dict[str, Any] = _in_own_words(schema)
    if "properties" in read:
        read.setdefault("additionalProperties", False)
    validator = jsonschema.validators.validator_for(read, default=jsonschema.Draft202012Validator)
    try:
        validator.check_schema(read)
    except jsonschema.SchemaError as error:
        raise SchemaError(f"is no JSON Schema: {_where(error)}{error.message[:_LONGEST]}") from None
    return read


def violation(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what in a value breaks a schema, "" where nothing does.

    References lead only to places of the schema itself: nothing is fetched.

    Raises:
        SchemaError: a reference leads nowhere.
    """
    import jsonschema
    import referencing

    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    checked = validator(schema, registry=referencing.Registry())
    try:
        error = jsonschema.exceptions.best_match(checked.iter_errors(value))
    except referencing.exceptions.Unresolvable as unresolvable:
        raise SchemaError(f"a reference leads nowhere: {shown(unresolvable.ref)}") from None
    return "" if error is None else f"{_where(error)}{error.message[:_LONGEST]}"


def _where(error: Any) -> str:
    place = ".".join(map(str, error.absolute_path))
    return f"{place}: " if place else ""


def _in_own_words(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    return {key: value for key, value in map(_entry, schema.items()) if key}


def _entry(entry: tuple[str, Any]) -> tuple[str, Any]:
    key, value = entry
    if key == "type" and isinstance(value, str):
        named = _TYPES.get(value, value)
        return (key if named else ""), named
    if key in _IN_ONE:
        return key, _in_own_words(value)
    if key in _IN_LISTS and isinstance(value, list):
        return key, [_in_own_words(item) for item in value]
    if key in _BY_NAME and isinstance(value, Mapping):
        return key, {name: _in_own_words(item) for name, item in value.items()}
    return key, value
