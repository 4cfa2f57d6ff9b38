"""Replies as they are kept: one JSON object, whatever way it came, checked before it counts."""

import base64
import binascii
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragate.clients.http.error_mapping import MalformedError
from ragate.recorder.proxy.request_identity import Endpoint, Request
from ragate.support.strict_json import canonical

MAX_REPLY_BYTES = 4 * 1024**2  # what a row of the cache holds
_MOST_TOKENS = 10**9
_FINISHED = frozenset({"completed", "incomplete"})


@dataclass(frozen=True)
class Reply:
    """A whole reply.

    Attributes:
        text: Canonical JSON of its body; vectors are base64 of 32-bit floats.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


def reply_of(request: Request, body: Any) -> Reply:
    """Return the reply of a decoded body.

    Raises:
        MalformedError: it is not what this endpoint promises, or too large to be kept.
    """
    if not isinstance(body, dict):
        raise MalformedError("no JSON object")
    if request.kind is Endpoint.CHAT:
        _check_chat(body)
    elif request.kind is Endpoint.RESPONSES:
        _check_response(body)
    else:
        body = _packed(body, request)
    text = canonical(body).encode("utf-8", "replace").decode("utf-8")
    if len(text) > MAX_REPLY_BYTES:
        raise MalformedError(f"a reply of more than {MAX_REPLY_BYTES} bytes; ask for less at once")
    prompt, completion = _tokens(body.get("usage"))
    return Reply(text, prompt, completion)


def read_reply(content: bytes, request: Request) -> Reply:
    """Return the reply of a body as it came; see `reply_of`."""
    return reply_of(request, json.loads(content, parse_constant=_refuse))


def shown_body(text: str, request: Request) -> dict[str, Any]:
    """Return a kept reply as the caller wants it: vectors as numbers unless it asks for base64."""
    body: dict[str, Any] = json.loads(text)
    if request.kind is Endpoint.EMBEDDINGS and request.body.get("encoding_format") != "base64":
        for row in body["data"]:
            row["embedding"] = _numbers(row["embedding"])
    return body


def _check_chat(body: Mapping[str, Any]) -> None:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise MalformedError("no chat completion")
    for choice in choices:
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            raise MalformedError("no chat completion")
        content = choice["message"].get("content")
        if content is not None and not isinstance(content, str):
            raise MalformedError("no chat completion")


def _check_response(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("output"), list):
        raise MalformedError("no response")
    if body.get("status", "completed") not in _FINISHED:
        raise MalformedError(f"a response of status {str(body.get('status'))[:40]!r}")


def _packed(body: dict[str, Any], request: Request) -> dict[str, Any]:
    rows = body.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise MalformedError("no embeddings")
    expected = text_count(request.body["input"])
    if {row.get("index") for row in rows} != set(range(expected)) or len(rows) != expected:
        raise MalformedError(f"{len(rows)} embeddings for {expected} texts")
    packed = [{**row, "embedding": _base64(row.get("embedding"))} for row in rows]
    return {**body, "data": sorted(packed, key=lambda row: int(row["index"]))}


def text_count(texts: Any) -> int:
    """Return how many texts are asked for: one text or list of tokens, or a list of these."""
    single = isinstance(texts, str) or (isinstance(texts, list) and isinstance(texts[0], int))
    return 1 if single else len(texts)


def _base64(vector: Any) -> str:
    if isinstance(vector, str):
        _numbers(vector)
        return vector
    if not isinstance(vector, list) or not vector:
        raise MalformedError("embeddings that are no vectors")
    try:
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    except (struct.error, OverflowError) as error:
        raise MalformedError("embeddings that are no vectors") from error


def _numbers(text: str) -> list[float]:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedError("embeddings that are no vectors") from error
    if not content or len(content) % 4:
        raise MalformedError("embeddings that are no vectors")
    vector = list(struct.unpack(f"<{len(content) // 4}f", content))
    if not all(map(math.isfinite, vector)):
        raise MalformedError("embeddings that are no finite numbers")
    return vector


def _tokens(usage: Any) -> tuple[int, int]:
    counts = usage if isinstance(usage, dict) else {}
    prompt = counts.get("prompt_tokens", counts.get("input_tokens"))
    return _count(prompt), _count(counts.get("completion_tokens", counts.get("output_tokens")))


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else 0


def _refuse(name: str) -> None:
    raise MalformedError(f"{name} in a reply")
