"""A reply of the Responses API as a stream of events, and back."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragate.clients.http.error_mapping import MalformedError

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


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
