"""A chat completion as a stream of events, and back."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragate.clients.http.error_mapping import MalformedError

# Named once; some servers repeat them with every part.
_NAMES = frozenset({"role", "id", "type", "name", "index"})


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
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
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
            for call in choice["message"].get("tool_calls") or []:
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
            whole[name] = value


def _own(value: Any) -> Any:
    """Return a copy that may be added to."""
    if isinstance(value, dict):
        return {name: _own(item) for name, item in value.items()}
    return [_own(item) for item in value] if isinstance(value, list) else value


def _merge_lists(whole: list[Any], parts: list[Any]) -> None:
    by_index = {item["index"]: item for item in whole if isinstance(item, dict) and "index" in item}
    for part in parts:
        item = by_index.get(part.get("index")) if isinstance(part, dict) else None
        if item is None:
            whole.append(_own(part))
        else:
            merge(item, part)


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
