"""From the JSON of a service to the fields of a recorded output."""

import json
from typing import Any

from ragate.outputs.pointed import Pointers, pointed
from ragate.support.escape import one_line
from ragate.support.pointer import PointerError
from ragate.systems._output import OutputError


def parsed(content: bytes) -> Any:
    """Return the JSON of a body.

    Raises:
        OutputError: it is none.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        start = one_line(content[:1000].decode("utf-8", "replace"), 120)
        raise OutputError(
            f"the service answered with what is no JSON: {start}{_stream_hint(content)}"
        ) from error


def _stream_hint(content: bytes) -> str:
    """Return how a body is read that looks like a stream, "" where it does not."""
    lines = [line for line in content[:100_000].split(b"\n") if line.strip()]
    if lines and lines[0].startswith((b"data:", b"event:", b"id:", b"retry:", b":")):
        return '; it looks like server-sent events: set [system] stream = {format = "sse"}'
    if len(lines) > 1 and all(line.lstrip().startswith(b"{") for line in lines[:2]):
        return '; it looks like JSON lines: set [system] stream = {format = "ndjson"}'
    return ""


def fields(value: Any, pointers: Pointers) -> Any:
    """Return the parts that the pointers lead to; without any, the reply as it is.

    Raises:
        OutputError: a pointer leads nowhere, or the lists of a reply differ in length.
    """
    if pointers.empty:
        return value
    try:
        return pointed(value, pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}") from error
