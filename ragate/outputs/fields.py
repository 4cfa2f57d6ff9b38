"""The fields of a record as pointers, for messages and for guesses."""

from collections.abc import Iterator, Mapping
from typing import Any

_DEEPEST = 6
_MOST = 200  # leaves of a record that are looked at
_SHOWN = 12

Leaf = tuple[str, Any]  # pointer, value


def fields_of(value: Any) -> list[Leaf]:
    """Return the leaves of a record, each with its pointer; ``*`` stands for a list's items.

    A list of plain values is a leaf itself. Of a list of objects the first one is looked at.
    """
    leaves: list[Leaf] = []
    for leaf in _leaves(value, "", 0):
        leaves.append(leaf)
        if len(leaves) == _MOST:
            break
    return leaves


def _leaves(value: Any, pointer: str, depth: int) -> Iterator[Leaf]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, item in value.items():
            if str(key) != "*":  # it could not be told from the star
                yield from _leaves(item, f"{pointer}/{escaped(str(key))}", depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST and any(_nested(item) for item in value):
        first = next(item for item in value if _nested(item))
        yield from _leaves(first, f"{pointer}/*", depth + 1)
    else:
        yield pointer, value


def _nested(item: Any) -> bool:
    return isinstance(item, Mapping | list) and bool(item)


def escaped(key: str) -> str:
    """Return a key as a part of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def described(leaves: list[Leaf]) -> str:
    """Return the fields in words: the pointers of the first ones, and how many there are more."""
    if not leaves or leaves[0][0] == "":
        return "no fields"
    names = ", ".join(pointer for pointer, _ in leaves[:_SHOWN])
    return names if len(leaves) <= _SHOWN else f"{names} and {len(leaves) - _SHOWN} more"
