"""JSON without surprises: no NaN, no duplicate keys, no lone surrogates, bounded depth and size."""

import json
import math
import re
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ragate.errors import RagateError
from ragate.files.foreign_files import MAX_BYTES, decode, open_regular

MAX_DEPTH = 64

# Everything but brackets. Possessive, and an unclosed string ends at the end of the text: linear.
_NOT_BRACKETS = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"?|[^\[\]{}"]++', re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _RefusedError(ValueError):
    """A value that JSON's grammar or its users allow and we do not."""


def loads(
    text: str | bytes,
    *,
    where: str,
    error: type[RagateError],
    max_depth: int = MAX_DEPTH,
    has_nan: bool = False,
) -> JsonValue:
    """Return the value of one JSON text.

    Args:
        where: The place for the message, such as ``golden.jsonl:12``.
        error: What is raised.
        max_depth: Largest nesting of arrays and objects.
        has_nan: NaN and the infinities, as Python's own writer spells them, are read.

    Raises:
        error: not JSON, not UTF-8, NaN or an infinity, a key twice in one object, a lone
            surrogate, or nested too deeply.
    """
    if isinstance(text, bytes):
        text = decode(text, where=where, error=error)
    if text.count("[") + text.count("{") > max_depth and _depth(text) > max_depth:
        raise error(f"{where}: nested more than {max_depth} deep")
    try:
        value: JsonValue = (_WITH_NAN if has_nan else _DECODER).decode(text)
    except json.JSONDecodeError as problem:
        remedy = _json_mistake(problem)
        raise error(f"{where}: not JSON: {_explain(problem)}", remedy=remedy) from problem
    except (ValueError, RecursionError) as problem:
        raise error(f"{where}: {problem}") from problem
    if _SURROGATE.search(text):
        _refuse_surrogates(value, where, error)
    return value


def read_lines(
    path: Path, *, error: type[RagateError], max_bytes: int = MAX_BYTES, has_nan: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value) for each line of a JSON Lines file; empty lines are skipped.

    Raises:
        error: the file or a line cannot be read; names file and line.
    """
    with open_regular(path, error=error, max_bytes=max_bytes) as file:
        # Lines end at LF only: U+2028 and its like may stand inside a JSON string.
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, loads(line, where=f"{path}:{number}", error=error, has_nan=has_nan)


def number(value: object, *, most: float = sys.float_info.max) -> float | None:
    """Return a number that someone else's JSON holds, None for what is none.

    true and false are none, nor is a number beyond `most` on either side of 0: JSON writes whole
    numbers of any length, and no float holds one of 400 digits.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -most <= value <= most else None


def whole(value: object, *, most: int) -> int | None:
    """Return a whole number from 0 to `most` that someone else's JSON holds, None for the rest."""
    return value if type(value) is int and 0 <= value <= most else None


def canonical(value: Any) -> str:
    """Return `value` as JSON on one line; equal values give equal texts."""
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def _depth(text: str) -> int:
    brackets = _NOT_BRACKETS.sub("", text)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(pairs)
    if len(by_key) != len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise _RefusedError(f"key {key!r} stands twice in one object")
            keys.add(key)
    return by_key


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _RefusedError(f"{text} is too large for a number")
    return value


def _constant(text: str) -> float:
    raise _RefusedError(f"{text} is not a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_finite, parse_constant=_constant
)

_WITH_NAN = json.JSONDecoder(object_pairs_hook=_object, parse_constant=float)


def _json_mistake(problem: json.JSONDecodeError) -> str:
    """Return what is most likely to be written otherwise, "" where that is not known."""
    text, at = problem.doc, problem.pos
    before, after = text[:at].rstrip(), text[at:].lstrip()
    if text.strip() == "[":
        return "one object stands on each line; a whole array belongs in a file that ends in .json"
    if after.strip() == "," and before.endswith("}"):
        return "remove the comma at the end of the line: each line is an object of its own"
    if "\t" in text and text[:1] not in {"{", "["}:
        return "a table with tabs is none: save it with commas, in a file that ends in .csv"
    closing = after.removeprefix(",").lstrip()[:1]  # from Python 3.13 on it is told at the comma
    if closing in {"}", "]"} and (before.endswith(",") or after.startswith(",")):
        return f"remove the comma before {closing}"
    if after[:1] == "'":
        return "JSON has double quotes only"
    if before[-1:] in {'"', "}", "]"} and after[:1] in {'"', "{"}:
        return "a comma is missing between the two"
    if text.startswith(("<<<<<<<", "=======", ">>>>>>>")):
        return "a merge left its marks here: keep one of the two sides"
    return ""


def _explain(problem: json.JSONDecodeError) -> str:
    near = problem.doc[max(problem.pos - 20, 0) : problem.pos + 20]
    line = f"line {problem.lineno}, " if problem.lineno > 1 else ""
    return f"{problem.msg} at {line}column {problem.colno}, near {near!r}"


def _refuse_surrogates(value: JsonValue, where: str, error: type[RagateError]) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as problem:
        bad = problem.object[problem.start]
        raise error(f"{where}: {bad!r} is half of a character and cannot be written") from problem
