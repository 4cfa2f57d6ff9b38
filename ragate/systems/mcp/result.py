"""From the result of a tool to the fields of a recorded output."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragate.outputs.pointed import Pointers, pointed
from ragate.support.escape import one_line
from ragate.support.pointer import PointerError
from ragate.systems._output import OutputError

_NOTHING = object()


def recorded(result: Mapping[str, Any], pointers: Pointers) -> Any:
    """Return what a tool answered as a text, or as the fields of a recorded output.

    Args:
        result: The tool's result as it goes over the wire, in JSON.

    Raises:
        OutputError: the tool reports an error, or a pointer leads nowhere.
    """
    text = _text(result.get("content") or ())
    if result.get("isError"):
        raise OutputError(f"the tool answered with an error: {one_line(text, 300) or 'no text'}")
    parsed = _parsed(text)
    if pointers.empty:
        return _whole(result, text, parsed)
    place: dict[str, Any] = {"text": text, "content": result.get("content") or []}
    if result.get("structuredContent") is not None:
        place["structured"] = result["structuredContent"]
    if parsed is not _NOTHING:
        place["json"] = parsed
    try:
        return pointed(place, pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}; the result has {_told(place)}") from error


def _whole(result: Mapping[str, Any], text: str, parsed: Any) -> Any:
    """Return the structured content where there is any, else the text.

    Libraries wrap what is no object as ``{"result": …}``: an object has to be sent.
    """
    value = result.get("structuredContent")
    if isinstance(value, dict) and value.keys() == {"result"}:
        value = value["result"]
    if isinstance(value, dict | str):
        return value
    return parsed if isinstance(parsed, dict) else text


def _text(content: Sequence[Any]) -> str:
    blocks = [block.get("text") for block in content if isinstance(block, Mapping)]
    return "\n".join(block for block in blocks if isinstance(block, str))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _told(place: Mapping[str, Any]) -> str:
    """Return the beginning of each part of a result, so that a pointer can be corrected."""
    shown = {
        name: one_line(json.dumps(value, ensure_ascii=False), 80)
        for name, value in place.items()
        if name in {"structured", "json"}
    }
    shown.setdefault("text", one_line(str(place["text"]), 80))
    return ", ".join(f"/{name} {value}" for name, value in shown.items())
