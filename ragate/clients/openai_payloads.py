"""The JSON of chat completions and embeddings: what is sent, and a strict reading of what comes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ragate.clients.http.error_mapping import MalformedError
from ragate.files.strict_json import number, whole
from ragate.guards.escape import sendable
from ragate.protocols import ChatReply, ChatRequest

T = TypeVar("T")
_MOST_TOKENS = 10**9
_MOST_FLOAT = 3.4e38


class Answer(Protocol):
    """What is booked of an answer, of either kind."""

    @property
    def prompt_tokens(self) -> int: ...

    @property
    def completion_tokens(self) -> int: ...


@dataclass(frozen=True)
class OfTexts(Generic[T]):
    """Vectors or scores in the order of the texts, and the tokens that they cost."""

    rows: list[T]
    prompt_tokens: int = 0
    completion_tokens: int = 0


def chat_body(request: ChatRequest) -> dict[str, Any]:
    """Return the body of a chat completion; parameters go through as they are."""
    messages = [{"role": role, "content": content} for role, content in request.messages]
    return {**request.parameters, "model": request.model, "messages": messages, "stream": False}


def embedding_body(texts: Sequence[str], model: str, dimensions: int | None) -> dict[str, Any]:
    """Return the body of a request for embeddings."""
    body = {"model": model, "input": list(texts), "encoding_format": "float"}
    return body if dimensions is None else {**body, "dimensions": dimensions}


def read_chat(content: bytes) -> ChatReply:
    """Return the first choice of a chat completion.

    Raises:
        MalformedError: it is none.
    """
    reply = _object(loaded(content))
    choices = reply.get("choices")
    choice = _object(choices[0] if isinstance(choices, list) and choices else None)
    text = _object(choice.get("message")).get("content")
    if text is not None and not isinstance(text, str):
        raise MalformedError("no chat completion")
    usage = reply.get("usage")
    return ChatReply(
        text=sendable(text or ""),
        prompt_tokens=count(usage, "prompt_tokens"),
        completion_tokens=count(usage, "completion_tokens"),
        finish_reason=sendable(str(choice.get("finish_reason") or ""))[:40],
    )


def read_embeddings(content: bytes, expected: int) -> OfTexts[list[float]]:
    """Return one vector a text.

    Raises:
        MalformedError: too many or too few, not numbers, or not of one dimension.
    """
    reply = _object(loaded(content))
    rows = in_order(reply.get("data"), expected, "embeddings")
    vectors = [_numbers(row.get("embedding"), "embeddings that are no vectors") for row in rows]
    if len({len(vector) for vector in vectors}) > 1:
        raise MalformedError("embeddings that are no vectors of one dimension")
    return OfTexts(vectors, count(reply.get("usage"), "prompt_tokens"))


def rerank_body(query: str, texts: Sequence[str], model: str, form: str) -> dict[str, Any]:
    """Return the body of a request for reranking, as Cohere, Jina and vLLM take it, or TEI."""
    if form == "tei":
        return {"query": query, "texts": list(texts), "truncate": True}
    body = {"query": query, "documents": list(texts), "top_n": len(texts)}
    return {"model": model, **body}


def read_ranked(content: bytes, expected: int) -> OfTexts[float]:
    """Return one score a text, of ``{"results": [{"index", "relevance_score"}]}`` or of a list.

    Raises:
        MalformedError: too many or too few, or not numbers.
    """
    reply = loaded(content)
    rows = reply.get("results") if isinstance(reply, dict) else reply
    ordered = in_order(rows, expected, "scores")
    said = [row.get("relevance_score", row.get("score")) for row in ordered]
    scores = _numbers(said, "scores that are no numbers") if said else []
    usage = reply.get("usage") if isinstance(reply, dict) else None
    return OfTexts(scores, count(usage, "total_tokens"))


def in_order(rows: Any, expected: int, what: str) -> list[dict[str, Any]]:
    """Return the row of each text, in the order of the texts.

    Raises:
        MalformedError: they are not one a text, each with its text's ``index``.
    """
    objects = [_object(row) for row in rows] if isinstance(rows, list) else []
    by_index = {whole(row.get("index"), most=expected - 1): row for row in objects}
    if len(objects) != expected or set(by_index) != set(range(expected)):
        raise MalformedError(f"{len(objects)} {what} for {expected} texts")
    return [by_index[index] for index in range(expected)]


def loaded(content: bytes, **options: Any) -> Any:
    """Return the value that a reply's body is; `options` are those of `json.loads`.

    Raises:
        MalformedError: it is no JSON, no text, or nested too deeply.
    """
    try:
        return json.loads(content, **options)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"no JSON: {error}") from error


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedError("not what was asked for")
    return value


def _numbers(values: Any, otherwise: str) -> list[float]:
    """Return a list of numbers, none of them larger than a vector's 32 bits hold."""
    read = [number(value, most=_MOST_FLOAT) for value in values] if isinstance(values, list) else []
    numbers = [value for value in read if value is not None]
    if not numbers or len(numbers) < len(read):
        raise MalformedError(otherwise)
    return numbers


def count(usage: Any, *names: str) -> int:
    """Return the tokens that the first of `names` tells, 0 where it tells no sensible number."""
    said = (
        next((usage[name] for name in names if name in usage), 0) if isinstance(usage, dict) else 0
    )
    return whole(said, most=_MOST_TOKENS) or 0
