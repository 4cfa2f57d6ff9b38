"""Replies as they are kept, one JSON object however it came, and as a stream of events again."""

import base64
import binascii
import json
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.openai_payloads import count, in_order, loaded
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from ragate.files import strict_json
from ragate.files.strict_json import canonical
from ragate.guards.escape import sendable
from ragate.protocols import ChatReply

MAX_REPLY_BYTES = 4 * 1024**2  # what a row of the cache holds
_FINISHED = frozenset({"completed", "incomplete"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
# Named once; some servers repeat them with every part.
_NAMES = frozenset({"role", "id", "type", "name", "index"})


def reply_of(request: Request, body: Any) -> ChatReply:
    """Return the reply of a decoded body.

    Its text is canonical JSON of the body; vectors are base64 of 32-bit floats.

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
    text = sendable(canonical(body))
    if len(text) > MAX_REPLY_BYTES:
        raise MalformedError(f"a reply of more than {MAX_REPLY_BYTES} bytes; ask for less at once")
    usage = body.get("usage")
    return ChatReply(
        text,
        count(usage, "prompt_tokens", "input_tokens"),
        count(usage, "completion_tokens", "output_tokens"),
    )


def read_reply(content: bytes, request: Request) -> ChatReply:
    """Return the reply of a body as it came; see `reply_of`."""
    return reply_of(request, loaded(content, parse_constant=_refuse))


def shown_body(text: str, request: Request) -> dict[str, Any]:
    """Return a kept reply as the caller wants it: vectors as numbers unless it asks for base64."""
    body: dict[str, Any] = json.loads(text)
    if request.kind is Endpoint.EMBEDDINGS and request.body.get("encoding_format") != "base64":
        for row in body["data"]:
            row["embedding"] = _numbers(row["embedding"])
    return body


def _check_chat(body: Mapping[str, Any]) -> None:
    choices = body.get("choices")
    if not _are_objects(choices) or not choices:
        raise MalformedError("no chat completion")
    for choice in choices:
        message = choice.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
            raise MalformedError("no chat completion")
        if not _are_objects(message.get("tool_calls") or []):
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


class ChatParts:
    """Puts the parts of a streamed completion together."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}
        self._usage: Any = None

    def add(self, chunk: Mapping[str, Any]) -> bool:
        """Take one chunk; return True from the one on that ends the last choice.

        Raises:
            MalformedError: it is no chunk of a completion.
        """
        for name in ("id", "created", "model", "system_fingerprint", "service_tier"):
            if chunk.get(name) is not None:
                self._head.setdefault(name, chunk[name])
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices") or []
        if not _are_objects(choices):
            raise MalformedError("a stream that is no chat completion")
        for part in choices:
            self._add_choice(part)
        return bool(self._choices) and all(
            choice["finish_reason"] for choice in self._choices.values()
        )

    def body(self) -> dict[str, Any]:
        """Return the completion.

        Raises:
            MalformedError: a choice has no end: the stream was cut.
        """
        choices = [self._choices[index] for index in sorted(self._choices)]
        if not choices or not all(choice["finish_reason"] for choice in choices):
            raise MalformedError("a stream that was cut")
        for choice in choices:
            calls = choice["message"].get("tool_calls")
            for call in calls if isinstance(calls, list) else []:
                if isinstance(call, dict):
                    call.pop("index", None)  # only parts need it
        body = {**self._head, "object": "chat.completion", "choices": choices}
        return body if self._usage is None else {**body, "usage": self._usage}

    def _add_choice(self, part: Mapping[str, Any]) -> None:
        index = part.get("index", 0)
        delta = part.get("delta")
        if type(index) is not int or not isinstance(delta or {}, dict):
            raise MalformedError("a stream that is no chat completion")
        fresh = {"index": index, "finish_reason": None, "message": {"content": None}}
        choice = self._choices.setdefault(index, fresh)
        merge(choice["message"], delta or {})
        if part.get("finish_reason"):
            choice["finish_reason"] = part["finish_reason"]
        if isinstance(part.get("logprobs"), dict):
            merge(choice.setdefault("logprobs", {}), part["logprobs"])


def merge(whole: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add `part` to `whole` in place: texts are joined, items of a list meet by their index."""
    for name, value in part.items():
        before = whole.get(name)
        if value is None or before is None or name in _NAMES:
            whole[name] = _own(value) if value is not None else before
        elif isinstance(before, str) and isinstance(value, str):
            whole[name] = before + value
        elif isinstance(before, list) and isinstance(value, list):
            _merge_lists(before, value)
        elif isinstance(before, dict) and isinstance(value, dict):
            merge(before, value)
        else:
            whole[name] = _own(value)


def _own(value: Any) -> Any:
    """Return a copy that may be added to."""
    if isinstance(value, dict):
        return {name: _own(item) for name, item in value.items()}
    return [_own(item) for item in value] if isinstance(value, list) else value


def _merge_lists(whole: list[Any], parts: list[Any]) -> None:
    by_index = {_index(item): item for item in whole if _index(item) is not None}
    for part in parts:
        item = by_index.get(_index(part))
        if item is None:
            whole.append(_own(part))
        else:
            merge(item, part)


def _index(part: Any) -> int | None:
    return strict_json.whole(part.get("index"), most=10**6) if isinstance(part, dict) else None


def chat_events(body: Mapping[str, Any], *, usage: bool) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a completion that is there already: each choice in one, then its end.

    Args:
        usage: The caller asked for the counts of tokens (``stream_options``).
    """
    head = {
        name: body[name]
        for name in ("id", "created", "model", "system_fingerprint", "service_tier")
        if name in body
    }
    head["object"] = "chat.completion.chunk"
    for choice in body["choices"]:
        delta = {name: value for name, value in choice["message"].items() if value is not None}
        if isinstance(delta.get("tool_calls"), list):
            numbered = enumerate(delta["tool_calls"])
            delta["tool_calls"] = [{"index": index, **call} for index, call in numbered]
        part = {"index": choice.get("index", 0), "delta": {"role": "assistant", **delta}}
        if choice.get("logprobs"):
            part["logprobs"] = choice["logprobs"]
        yield {**head, "choices": [{**part, "finish_reason": None}]}
        end = {"index": part["index"], "delta": {}, "finish_reason": choice.get("finish_reason")}
        yield {**head, "choices": [end]}
    if usage and body.get("usage"):
        yield {**head, "choices": [], "usage": body["usage"]}


# A reply of the Responses API as a stream of events, and back.


class ResponseParts:
    """Waits for the event that ends a stream: it holds the whole response."""

    def __init__(self) -> None:
        self._response: dict[str, Any] | None = None

    def add(self, event: Mapping[str, Any]) -> bool:
        """Take one event; return True from the last one on."""
        if event.get("type") in _ENDS and isinstance(event.get("response"), dict):
            self._response = dict(event["response"])
        return self._response is not None

    def body(self) -> dict[str, Any]:
        """Return the response.

        Raises:
            MalformedError: the last event never came: the stream was cut.
        """
        if self._response is None:
            raise MalformedError("a stream that was cut")
        return self._response


def response_events(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a response that is there already, each text in one piece."""
    for number, event in enumerate(_events(body)):
        yield {**event, "sequence_number": number}


def _events(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**body, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(body["output"]):
        position = {"output_index": index, "item_id": item.get("id", "")}
        yield {"type": "response.output_item.added", "output_index": index, "item": _begun(item)}
        if item.get("type") == "function_call":
            yield from _arguments(item, position)
        for number, part in enumerate(item.get("content") or []):
            yield from _part(part, {**position, "content_index": number})
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    end = "response.incomplete" if body.get("status") == "incomplete" else "response.completed"
    yield {"type": end, "response": dict(body)}


def _begun(item: Mapping[str, Any]) -> dict[str, Any]:
    begun = {**item, "status": "in_progress"}
    if "content" in item:
        begun["content"] = []
    if "arguments" in item:
        begun["arguments"] = ""
    return begun


def _arguments(item: Mapping[str, Any], position: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    text = item.get("arguments", "")
    yield {"type": "response.function_call_arguments.delta", **position, "delta": text}
    done = {"arguments": text, "name": item.get("name", "")}
    yield {"type": "response.function_call_arguments.done", **position, **done}


def _part(part: Mapping[str, Any], position: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = {"output_text": "text", "refusal": "refusal"}.get(str(part.get("type")))
    empty = {**part, kind: ""} if kind else dict(part)
    yield {"type": "response.content_part.added", **position, "part": empty}
    if kind:
        name = "output_text" if kind == "text" else "refusal"
        text = part.get(kind, "")
        extra: dict[str, Any] = {"logprobs": []} if kind == "text" else {}
        yield {"type": f"response.{name}.delta", **position, "delta": text, **extra}
        yield {"type": f"response.{name}.done", **position, kind: text, **extra}
    yield {"type": "response.content_part.done", **position, "part": dict(part)}
