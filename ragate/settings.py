"""Reading a table of ragate.toml into a closed model, with errors a person can act on."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from ragate.errors import ConfigError
from ragate.removed import gone_key
from ragate.version import MANUAL

M = TypeVar("M", bound=BaseModel)
_SHOWN = 80
_NAMES_OF_SECRETS = frozenset({"key_env"})
_MAY_HOLD_SECRETS = frozenset({"headers"})
_WORDS = {
    "bool_type": "must be true or false, without quotes",
    "float_type": "must be a number, without quotes",
    "int_type": "must be a whole number, without quotes",
    "string_type": "must be a text, in quotes",
    "tuple_type": 'must be a list in brackets: ["one", "two"]',
    "dict_type": "must be a table",
}


def read_settings(
    model: type[M], table: Mapping[str, Any], *, where: str, strict: bool = False
) -> M:
    """Return `table` as an instance of `model`.

    Args:
        where: The table's place for the error message, such as ``[system.bm25]``.
        strict: A value must have the very type of its field: no ``"3"`` and no ``true`` for 3.

    Raises:
        ConfigError: names every wrong key with its value; an unknown key names the nearest.
    """
    try:
        return model.model_validate(_tuples(dict(table)) if strict else dict(table), strict=strict)
    except ValidationError as error:
        problems = _without_misspelt(model, error.errors(include_url=False))
        lines = [_line(model, problem, where) for problem in problems]
        raise ConfigError(
            "\n".join(lines), remedy=f"{MANUAL}/configuration.md lists every key"
        ) from error


def first_fault(error: ValidationError, *above: str) -> str:
    """Return the first thing that is wrong with a model: field, value and reason.

    Args:
        above: Names on the way to the model, which stand before the field.
    """
    fault = error.errors(include_url=False)[0]
    reason = str(fault["msg"].removeprefix("Value error, "))
    field = ".".join((*above, *map(str, fault["loc"])))
    if fault["type"] == "missing":
        return f"{field}: {reason}"
    got = shown(fault["input"])
    return f"{field} = {got}: {reason}" if field else f"{reason} (got {got})"


def _tuples(value: Any) -> Any:
    # A strict model takes no list for a tuple, and TOML has only lists.
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


def _without_misspelt(model: type[BaseModel], problems: list[Any]) -> list[Any]:
    """Return the problems without keys that are missing only because they are misspelt."""
    misspelt = {
        (*tables, close[0])
        for *tables, key in (p["loc"] for p in problems if p["type"] == "extra_forbidden")
        if (close := _close(str(key), known_keys(model, tuple(tables))))
    }
    return [p for p in problems if p["type"] != "missing" or tuple(p["loc"]) not in misspelt]


def _line(model: type[BaseModel], problem: Any, where: str) -> str:
    *tables, last = problem["loc"] or ("",)
    if isinstance(last, int) and tables:
        last = f"{tables.pop()}[{last}]"
    table, key = _table_name(where, tables), str(last)
    if problem["type"] == "extra_forbidden":
        if gone := gone_key(table, key):
            return f"{table}: {gone}"
        return f"{table}: unknown key {key!r}{nearest(key, known_keys(model, tuple(tables)))}"
    if problem["type"] == "missing":
        return f"{table}: {key!r} is missing"
    reason = _WORDS.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    if key in _NAMES_OF_SECRETS:  # whoever writes the secret itself there must not see it in a log
        return f"{table}: {key}: the name of a variable belongs here, never the key itself"
    if not key or key in _MAY_HOLD_SECRETS:
        return f"{table}: {key}: {reason}" if key else f"{table}: {reason}"
    return f"{table}: {key} = {shown(problem['input'])}: {reason}"


def _table_name(where: str, tables: list[int | str]) -> str:
    if not tables:
        return where
    path = ".".join(str(part) for part in tables)
    return f"{where[:-1]}.{path}]" if where.endswith("]") else f"{where}.{path}"


def shown(value: Any) -> str:
    """Return the value as a message shows it: quoted, on one line, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def known_keys(model: type[BaseModel], path: tuple[int | str, ...] = ()) -> list[str]:
    """Return the keys that `model` knows at `path`; empty where the path leads to no model."""
    current: Any = model
    for key in path:
        field = getattr(current, "model_fields", {}).get(key)
        current = _model_in(field.annotation) if field is not None else current
    return list(getattr(current, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    """Return the model of ``Model``, ``Model | None`` or ``dict[str, Model]``, else None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        if model := _model_in(argument):
            return model
    return None


def nearest(word: str, words: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` or the list of all that is known, or nothing."""
    names = sorted(words)
    close = _close(word, names)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""


def _close(word: str, names: list[str]) -> list[str]:
    return difflib.get_close_matches(word.rsplit(".", 1)[-1], sorted(names), n=1)
