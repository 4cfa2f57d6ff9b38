"""Replies as they are kept: one JSON object, whatever way it came, checked before it counts."""

import base64
import binascii
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.openai_payloads import count, in_order
from ragate.recorder.proxy.request_identity import Endpoint, Request
from ragate.support.strict_json import canonical

MAX_REPLY_BYTES = 4 * 1024**2  # what a row of the cache holds
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
    usage = body.get("usage")
    return Reply(
        text,
        count(usage, "prompt_tokens", "input_tokens"),
        count(usage, "completion_tokens", "output_tokens"),
    )


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
        if not _are_objects(choice["message"].get("tool_calls") or []):
            raise MalformedError("a chat completion whose tool calls are none")


def _check_response(body: Mapping[str, Any]) -> None:
    items = body.get("output")
    if not _are_objects(items) or not all(_are_objects(one.get("content") or []) for one in items):
        raise MalformedError("no response")
    if str(body.get("status", "completed")) not in _FINISHED:
        raise MalformedError(f"a response of status {str(body.get('status'))[:40]!r}")


def _are_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _packed(body: dict[str, Any], request: Request) -> dict[str, Any]:
    rows = in_order(body.get("data"), text_count(request.body["input"]), "embeddings")
    packed = [{**row, "embedding": _base64(row.get("embedding"))} for row in rows]
    return {**body, "data": packed}


def text_count(texts: Any) -> int:
    """Return how many texts are asked for: one text or list of tokens, or a list of these."""
    several = isinstance(texts, list) and not isinstance(texts[0], int)
    return len(texts) if several else 1


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


def _refuse(name: str) -> None:
    raise MalformedError(f"{name} in a reply")
