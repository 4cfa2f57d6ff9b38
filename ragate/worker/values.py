"""What the project's code returned, as JSON that loses nothing of it that ragate reads.

What JSON has no word for is an object with one key that begins with a dollar sign:

===============  =================================================================
``$float``       ``nan``, ``inf`` or ``-inf``
``$object``      anything else: its class, what ``str`` and what ``repr`` say of it
``$message``     a message of LangChain at the top: its text
``$document``    a document of LangChain: its text and metadata
``$output``      an output in ragate's own type
``$pairs``       an object with such keys of its own, as a list of keys and values
===============  =================================================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

_LONGEST = 500  # characters of what an object says of itself
_DEEPEST = 100
_AT_THE_TOP = 2  # a message is the value or a field of it, documents are in a list of these


class ValueTooDeepError(Exception):
    """A value holds itself, or has more levels than anything that is meant to be read."""


def encoded(value: Any, depth: int = 0) -> Any:
    """Return `value` in plain types.

    Raises:
        ValueTooDeepError: it refers to itself.
    """
    if depth > _DEEPEST:
        raise ValueTooDeepError(f"has more than {_DEEPEST} levels, or refers to itself")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(float(value))
    special = _special(value, depth) or _message(value, depth)
    return special if special is not None else _composed(value, depth)


def encoded_node(scored: Any) -> Any:
    """Return the fields of a node of LlamaIndex, with a score or without."""
    node = getattr(scored, "node", scored)
    fields = {
        "text": node.get_content(metadata_mode="none"),
        "metadata": dict(getattr(node, "metadata", None) or {}),
        "score": getattr(scored, "score", None),
        "ref_doc_id": getattr(node, "ref_doc_id", None),
        "node_id": getattr(node, "node_id", None),
    }
    return encoded(fields)


def _special(value: Any, depth: int) -> dict[str, Any] | None:
    if depth <= 1 and not isinstance(value, Mapping) and not hasattr(value, "meta"):
        content = getattr(value, "content", None)
        if isinstance(content, str):
            return {"$message": content[:]}
    kind = type(value)
    if kind.__name__ == "SystemOutput" and kind.__module__.startswith("ragate."):
        return {"$output": encoded(value.model_dump(mode="json"), depth + 1)}
    if depth <= _AT_THE_TOP and hasattr(value, "page_content") and hasattr(value, "metadata"):
        fields = {"page_content": value.page_content, "metadata": dict(value.metadata or {})}
        return {"$document": encoded(fields, depth + 1)}
    return None


def _composed(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return _object({str(key): item for key, item in value.items()}, depth)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encoded(item, depth + 1) for item in value]
    if isinstance(value, type):
        return _opaque(value)
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return _object({name: getattr(value, name) for name in names}, depth)
    kind = type(value)
    if hasattr(kind, "__pydantic_fields__"):
        return _object(dict(value.model_dump()), depth)
    if "__fields__" in vars(kind) and callable(getattr(value, "dict", None)):  # pydantic's first
        return _object(dict(value.dict()), depth)
    for plain in ("tolist", "item"):  # of NumPy, PyTorch and their like
        if callable(getattr(value, plain, None)) and hasattr(value, "dtype"):
            return encoded(getattr(value, plain)(), depth + 1)
    if hasattr(type(value), "__float__"):
        return _number(float(value))
    return _opaque(value)


def _message(value: Any, depth: int) -> dict[str, Any] | None:
    """Return a message in a list of them, as LangChain tells one; None for anything else."""
    if hasattr(type(value), "__pydantic_fields__") or dataclasses.is_dataclass(value):
        return None  # which tell all of themselves
    content, said_by = getattr(value, "content", None), getattr(value, "type", None)
    if isinstance(content, (str, list)) and isinstance(said_by, str):
        return _object({"type": said_by, "content": content}, depth)
    return None


def _object(fields: dict[str, Any], depth: int) -> dict[str, Any]:
    plain = {key: encoded(item, depth + 1) for key, item in fields.items()}
    if any(key.startswith("$") for key in plain):
        return {"$pairs": [[key, item] for key, item in plain.items()]}
    return plain


def _number(value: float) -> Any:
    return value if abs(value) < float("inf") else {"$float": str(value)}


def _opaque(value: Any) -> dict[str, Any]:
    return {"$object": [type(value).__name__, _said(str, value), _said(repr, value)]}


def _said(how: Any, value: Any) -> str:
    try:
        return str(how(value))[:_LONGEST]
    except Exception:  # noqa: BLE001 - foreign code
        return f"<{type(value).__name__}>"
