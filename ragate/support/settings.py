"""Reading a table of ragate.toml into a closed model, with errors a person can act on."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from ragate.errors import ConfigError

M = TypeVar("M", bound=BaseModel)
_SHOWN = 80


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
        lines = [_line(model, problem, where) for problem in error.errors(include_url=False)]
        raise ConfigError(
            "\n".join(lines), remedy="docs/configuration.md lists every key"
        ) from error


def _tuples(value: Any) -> Any:
    # A strict model takes no list for a tuple, and TOML has only lists.
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


def _line(model: type[BaseModel], problem: Any, where: str) -> str:
    *tables, last = problem["loc"] or ("",)
    if isinstance(last, int) and tables:
        last = f"{tables.pop()}[{last}]"
    table, key = _table_name(where, tables), str(last)
    if problem["type"] == "extra_forbidden":
        return f"{table}: unknown key {key!r}{nearest(key, known_keys(model, tuple(tables)))}"
    if problem["type"] == "missing":
        return f"{table}: {key!r} is missing"
    reason = problem["msg"].removeprefix("Value error, ")
    return f"{table}: {key} = {shown(problem['input'])}: {reason}" if key else f"{table}: {reason}"


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
    close = difflib.get_close_matches(word.rsplit(".", 1)[-1], names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
