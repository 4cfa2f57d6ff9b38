"""Reading a table of ragate.toml into a closed model, with errors a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragate.errors import ConfigError

M = TypeVar("M", bound=BaseModel)


def read_settings(model: type[M], table: Mapping[str, Any], *, where: str) -> M:
    """Return `table` as an instance of `model`.

    Args:
        where: The table's place for the error message, such as ``[system.bm25]``.

    Raises:
        ConfigError: names every wrong key with its value; an unknown key names the nearest.
    """
    try:
        return model.model_validate(dict(table))
    except ValidationError as error:
        lines = [_line(model, problem, where) for problem in error.errors(include_url=False)]
        raise ConfigError(
            "\n".join(lines), remedy="docs/configuration.md lists every key"
        ) from error


def _line(model: type[BaseModel], problem: Any, where: str) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{where}: unknown key {key!r}{nearest(key, known_keys(model, problem['loc'][:-1]))}"
    if problem["type"] == "missing":
        return f"{where}: {key!r} is missing"
    return f"{where}: {key} = {problem['input']!r}: {problem['msg']}"


def known_keys(model: type[BaseModel], path: tuple[int | str, ...] = ()) -> list[str]:
    """Return the keys that `model` knows at `path`; empty where the path leads to no model."""
    current: Any = model
    for part in path:
        field = getattr(current, "model_fields", {}).get(part)
        current = field.annotation if field is not None else None
    return list(getattr(current, "model_fields", {}))


def nearest(word: str, known: list[str]) -> str:
    """Return ``; did you mean 'x'?`` or the list of all that is known, or nothing."""
    close = difflib.get_close_matches(word.rsplit(".", 1)[-1], known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(sorted(known))}" if known else ""
