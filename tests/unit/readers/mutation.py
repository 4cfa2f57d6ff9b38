"""Inputs that are nearly right: a good one with one to four things wrong about it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragate.errors import RagateError
from tests.night import NIGHT

Read = Callable[[Path], object]

# The night run takes many; by day a tenth of a second or so for each reader is enough.
EXAMPLES = 10_000 if NIGHT else 100
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, -0.0, "", " ", "a", "\ud800", "\u202e", "\0", "NaN"),
    *("file://x", "[1", "{", "../../x", "x" * 5000, "2026-02-30", [], {}, [[]], [{}], {"": None}),
    *([None], ["a", 1], {"a": {"b": {"c": 1}}}, [["a"]], {"type": ["x"]}, {"assert": 3}),
)
_BYTES = (b"", b"\0", b"\xff", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r", b"\\ud800")


def mutated(value: Any, draw: random.Random) -> Any:
    """Return a JSON value with one thing changed, somewhere."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        kept = {k: v for k, v in value.items() if k != key or draw.random() < 0.9}
        if key in kept:
            kept[key] = mutated(value[key], draw)
        if draw.random() < 0.1:
            kept[draw.choice(["extra", "", "\udfff", "__class__"])] = draw.choice(_ODD)
        return kept
    if isinstance(value, list) and value and draw.random() < 0.8:
        index = draw.randrange(len(value))
        return [*value[:index], mutated(value[index], draw), *value[index + 1 :]]
    return draw.choice(_ODD)


def broken(content: bytes, draw: random.Random) -> bytes:
    """Return bytes with some cut out, doubled or put in."""
    start = draw.randrange(len(content) + 1)
    end = min(len(content), start + draw.randrange(1, 12))
    middle = draw.choice([b"", content[start:end] * 2, draw.choice(_BYTES)])
    return content[:start] + middle + content[end:]


def json_text(value: Any) -> bytes:
    """Return JSON; half of a character stands in it as an escape."""
    return json.dumps(value).encode()


def json_lines(rows: Any) -> bytes:
    """Return JSON Lines of a list; anything else is one line."""
    return b"\n".join(map(json_text, rows if isinstance(rows, list) else [rows])) + b"\n"


def inputs(good: Any, write: Callable[[Any], bytes], draw: random.Random) -> bytes:
    """Return one bad (or still good) input."""
    value = good
    for _ in range(draw.randrange(0, 4)):
        value = mutated(value, draw)
    try:
        content = write(value)
    except Exception:  # noqa: BLE001 - no such input can be written
        content = write(good)
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        content = broken(content, draw)
    return content


def only_our_errors(
    name: str, read: Read, good: Any, write: Callable[[Any], bytes], path: Path
) -> None:
    """Hold a reader to return or to raise an error of ours, whatever stands at `path`."""
    draw = random.Random(name)
    for _ in range(EXAMPLES):
        content = inputs(good, write, draw)
        path.write_bytes(content)
        try:
            read(path)
        except RagateError:
            continue
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error}\n{content!r}") from error
