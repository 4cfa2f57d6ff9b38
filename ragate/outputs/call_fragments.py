"""Calls of tools that came in pieces, as in a stream of OpenAI or LangChain."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ragate.support.strict_json import whole

_PARTS = frozenset({"name", "arguments", "args"})


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
        and {"name", "arguments", "args"} & part.keys() != set()
    )
