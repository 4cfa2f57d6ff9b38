"""Lists of tool calls in the forms of OpenAI, Anthropic, MCP and LangChain, whole or in pieces."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ragate.files.strict_json import whole
from ragate.settings import shown

_ARGUMENTS = ("arguments", "input", "args", "input_parameters", "parameters")
# What stands between the calls of a reply: blocks of Anthropic, items of OpenAI's responses.
_OTHER_BLOCKS = frozenset(
    {"text", "thinking", "redacted_thinking", "tool_result", "message", "reasoning"}
    | {"function_call_output", "output_text", "image", "document"}
)
_LONGEST = 2000  # characters of arguments that are no JSON
_PARTS = frozenset({"name", "arguments", "args"})


def read_calls(items: Sequence[Any]) -> list[Any]:
    """Return each call of a list as our own fields: ``name``, ``arguments``, ``malformed``.

    Blocks of text and the like between the calls are left out. Arguments that are no JSON object
    are kept as ``malformed``: the model wrote them, and `tool_syntax` says so.

    Raises:
        ValueError: an item is neither a call nor such a block.
    """
    return [read_call(item) for item in items if not _is_other_block(item)]


def read_call(item: Any) -> dict[str, Any]:
    """Return one call as our own fields.

    Raises:
        ValueError: it is no call in any form that is known.
    """
    fields = item.model_dump() if isinstance(item, BaseModel) else item
    if isinstance(fields, Mapping):
        for nested in ("function", "params"):  # OpenAI's chat; a JSON-RPC request of MCP
            if isinstance(fields.get(nested), Mapping):
                fields = fields[nested]
        if isinstance(fields.get("name"), str) and fields["name"]:
            return {"name": fields["name"], **_arguments(fields)}
    raise ValueError(
        f"{shown(item)} is no tool call: name and arguments, or the form of OpenAI "
        "(function), Anthropic (tool_use) or MCP (params) is wanted"
    )


def _is_other_block(item: Any) -> bool:
    kind = item.get("type") if isinstance(item, Mapping) else getattr(item, "type", None)
    return isinstance(kind, str) and kind in _OTHER_BLOCKS


def _arguments(fields: Mapping[str, Any]) -> dict[str, Any]:
    if fields.get("malformed"):
        return {"arguments": {}, "malformed": fields["malformed"]}
    filled = (fields[key] for key in _ARGUMENTS if fields.get(key) is not None)
    given: Any = next(filled, {})
    parsed = _parsed(given) if isinstance(given, str) else given
    if isinstance(parsed, Mapping):
        return {"arguments": dict(parsed)}
    text = given if isinstance(given, str) else json.dumps(given, default=repr)
    return {"arguments": {}, "malformed": text[:_LONGEST]}


def _parsed(text: str) -> Any:
    """Return the value of a JSON text, None where it is none; nothing at all is no arguments."""
    if not text.strip():
        return {}
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def are_fragments(items: object) -> bool:
    """Tell whether a list holds pieces of calls: each says by ``index`` which call it is of."""
    return isinstance(items, list) and bool(items) and all(map(_is_fragment, items))


def joined(fragments: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the whole calls in the order of their index; their arguments are still a text."""
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    for fragment in fragments:
        index, part = fragment["index"], fragment.get("function") or fragment
        text = part.get("arguments", part.get("args"))
        names[index] = names.get(index) or part.get("name") or ""
        arguments[index] = arguments.get(index, "") + (text if isinstance(text, str) else "")
    return [{"name": names[index], "arguments": arguments[index]} for index in sorted(names)]


def _is_fragment(item: object) -> bool:
    if not isinstance(item, Mapping):
        return False
    index, part = item.get("index"), item.get("function") or item
    return (
        whole(index, most=sys.maxsize) is not None
        and isinstance(part, Mapping)
        and not _PARTS.isdisjoint(part)
    )
