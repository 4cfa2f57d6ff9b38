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
        raise OutputError(f"the service answered with what is no JSON: {start}") from error


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
