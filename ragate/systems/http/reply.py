"""From the JSON of a service to the fields of a recorded output."""

import json
from typing import Any

from ragate.support.escape import one_line
from ragate.systems._output import OutputError
from ragate.systems.http.pointer import PointerError, many, one
from ragate.systems.http.settings import Pointers


def parsed(content: bytes) -> Any:
    """Return the JSON of a body.

    Raises:
        OutputError: it is none.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        start = one_line(content[:1000].decode("utf-8", "replace"), 120)
        raise OutputError(f"the service answered with what is no JSON: {start}") from error


def fields(value: Any, pointers: Pointers) -> Any:
    """Return the parts that the pointers lead to; without any, the reply as it is.

    Raises:
        OutputError: a pointer leads nowhere, or the lists of a reply differ in length.
    """
    if pointers.empty:
        return value
    try:
        return _pointed(value, pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}") from error


def _pointed(value: Any, pointers: Pointers) -> dict[str, Any]:
    recorded: dict[str, Any] = {"chunks": _chunks(value, pointers)}
    for name in ("answer", "latency", "citations", "tool_calls"):
        pointer = getattr(pointers, name)
        if pointer:
            listed = name in {"citations", "tool_calls"}
            recorded[name] = many(value, pointer) if listed else one(value, pointer)
    if "tool_calls" in recorded:
        recorded["tool_calls"] = [_tool_call(call) for call in recorded["tool_calls"]]
    return recorded


def _chunks(value: Any, pointers: Pointers) -> list[Any]:
    columns = {
        "text": many(value, pointers.contexts) if pointers.contexts else None,
        "doc_id": many(value, pointers.ids) if pointers.ids else None,
        "score": many(value, pointers.scores, optional=True) if pointers.scores else None,
    }
    named = {name: column for name, column in columns.items() if column is not None}
    if not named:
        return []
    lengths = {len(column) for column in named.values()}
    if len(lengths) > 1:
        counts = ", ".join(f"{name} {len(column)}" for name, column in named.items())
        raise OutputError(f"[system.pointers] the lists of chunks differ in length: {counts}")
    rows = zip(*named.values(), strict=True)
    return [_chunk(dict(zip(named, row, strict=True))) for row in rows]


def _chunk(row: dict[str, Any]) -> dict[str, Any]:
    if isinstance(row.get("doc_id"), int) and not isinstance(row["doc_id"], bool):
        row["doc_id"] = str(row["doc_id"])
    return row


def _tool_call(call: Any) -> Any:
    """Return a tool call as name and arguments; the OpenAI form nests them, as text."""
    if not isinstance(call, dict):
        return call
    inner = call.get("function", call)
    if not isinstance(inner, dict):
        return call
    arguments = inner.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise OutputError(
                f"the arguments of a tool call are no JSON: {arguments[:80]}"
            ) from error
    return {"name": inner.get("name"), "arguments": arguments}
