"""JSON pointers (RFC 6901); ``*`` is every item of a list or value of an object, ``-1`` the last.

At the end ``keys`` is the names of an object that has no field of that name.
"""

import re
from collections.abc import Iterator
from typing import Any

from ragate.settings import nearest

_INDEX = re.compile(r"0|-?[1-9][0-9]{0,8}")
_POINTER = re.compile(r"(/([^/~]|~[01])*)*")
_KEYS = "keys"
Path = tuple[str, ...]


class PointerError(Exception):
    """A pointer leads nowhere in this reply."""


def parse(pointer: str) -> Path:
    """Return the parts of a pointer.

    Raises:
        ValueError: it does not begin with ``/``, or has a ``~`` that is neither ``~0`` nor ``~1``.
    """
    if not _POINTER.fullmatch(pointer):
        raise ValueError('a JSON pointer begins with "/": "/result/answer", "/hits/*/text"')
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def one(value: Any, pointer: str) -> Any:
    """Return what `pointer` leads to.

    Raises:
        PointerError: there is nothing, or it names a list of values.
    """
    parts = parse(pointer)
    if "*" in parts:
        raise PointerError(f"{pointer}: a * gives a list, and one value is wanted")
    return _follow(value, parts, pointer)


def many(value: Any, pointer: str, *, optional: bool = False) -> list[Any]:
    """Return the list that `pointer` leads to, or the values of all that its ``*`` stands for.

    Several ``*`` give one flat list, in the order of the document.

    Args:
        optional: A value that is missing below a ``*`` is None.

    Raises:
        PointerError: there is nothing, or no list.
    """
    parts = parse(pointer)
    if "*" not in parts:
        items = _names(value, parts, pointer)
        if items is None:
            items = _follow(value, parts, pointer)
        if not isinstance(items, list):
            raise PointerError(f"{pointer} is {_kind(items)}, and a list is wanted")
        return items
    return list(_items(value, parts, pointer, optional=optional))


def _items(value: Any, parts: Path, pointer: str, *, optional: bool) -> Iterator[Any]:
    if "*" not in parts:
        try:
            names = _names(value, parts, pointer)
            yield from [_follow(value, parts, pointer)] if names is None else names
        except PointerError:
            if not optional:
                raise
            yield None
        return
    star = parts.index("*")
    items = _follow(value, parts[:star], pointer)
    if isinstance(items, dict):
        items = list(items.values())
    if not isinstance(items, list):
        raise PointerError(
            f"{pointer}: * stands for the items of a list or an object, and there is {_kind(items)}"
        )
    for item in items:
        yield from _items(item, parts[star + 1 :], pointer, optional=optional)


def _names(value: Any, parts: Path, pointer: str) -> list[str] | None:
    """Return the names of the object above ``keys``; None where ``keys`` is no more than a name."""
    if not parts or parts[-1] != _KEYS:
        return None
    holder = _follow(value, parts[:-1], pointer)
    return list(holder) if isinstance(holder, dict) and _KEYS not in holder else None


def _follow(value: Any, parts: Path, pointer: str) -> Any:
    for part in parts:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _in_list(part, len(value)):
            value = value[int(part)]
        else:
            hint = (
                nearest(part, [str(key) for key in value][:20]) if isinstance(value, dict) else ""
            )
            raise PointerError(f"{pointer} leads nowhere: {_kind(value)} has no {part!r}{hint}")
    return value


def _in_list(part: str, length: int) -> bool:
    return bool(_INDEX.fullmatch(part)) and -length <= int(part) < length


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")
