"""JSON Schemas of tools: read in the spellings that are in use, and checked against."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragate.settings import shown

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

    try:
        read: dict[str, Any] = _in_own_words(schema)
        if "properties" in read:
            read.setdefault("additionalProperties", False)
        if not isinstance(read.get("$schema", ""), str):
            raise SchemaError(f"is no JSON Schema: $schema is {shown(read['$schema'])}, no text")
        _validator_of(read).check_schema(read)
        _follow_references(read)
        _validator_of(read)(read).is_valid({})
    except jsonschema.SchemaError as error:
        raise SchemaError(f"is no JSON Schema: {_where(error)}{error.message[:_LONGEST]}") from None
    except RecursionError:
        raise SchemaError("is nested too deeply, or a reference leads back to itself") from None
    return read


def _follow_references(schema: Mapping[str, Any]) -> None:
    import referencing
    import referencing.jsonschema

    whole = referencing.Resource.from_contents(
        schema, default_specification=referencing.jsonschema.DRAFT202012
    )
    resolver = referencing.Registry().resolver_with_root(whole)
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except referencing.exceptions.Unresolvable:
            raise SchemaError(f"a reference leads nowhere: {shown(reference)}") from None


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def violation(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what in a value breaks a schema, "" where nothing does.

    References lead only to places of the schema itself: nothing is fetched.

    Raises:
        SchemaError: a reference leads nowhere.
    """
    import jsonschema
    import referencing

    checked = _validator_of(schema)(schema, registry=referencing.Registry())
    try:
        error = jsonschema.exceptions.best_match(checked.iter_errors(value))
    except RecursionError:  # the value is the model's: it must not keep others from being scored
        return "nested too deeply to be checked"
    except referencing.exceptions.Unresolvable as unresolvable:
        raise SchemaError(f"a reference leads nowhere: {shown(unresolvable.ref)}") from None
    return "" if error is None else f"{_where(error)}{error.message[:_LONGEST]}"


def _validator_of(schema: Mapping[str, Any]) -> Any:
    import jsonschema

    return jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)


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
