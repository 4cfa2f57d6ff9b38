"""What a recorded request is, and by what it is known again."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ragate.core.hashing import digest
from ragate.errors import RagateError, UsageError
from ragate.files.strict_json import loads

NOT_RECORDED = "model request is not recorded; fulfil it"
MAX_BODY_BYTES = 16 * 1024**2
_MAX_MODEL = 200


class Endpoint(StrEnum):
    """An endpoint, by its path below ``/v1``."""

    CHAT = "/chat/completions"
    RESPONSES = "/responses"
    EMBEDDINGS = "/embeddings"


# They change how an answer travels, who is billed for it or what a provider notes of it, never
# what it says. Whoever adds one here says: two requests that differ in it get the same answer.
UNHEEDED = frozenset(
    {"stream", "stream_options", "encoding_format", "user", "safety_identifier", "metadata"}
    | {"store", "service_tier", "prompt_cache_key", "prompt_cache_retention"}
)
_CONTENT = dict.fromkeys(Endpoint, "input") | {Endpoint.CHAT: "messages"}


@dataclass(frozen=True)
class Request:
    """One request to a model, as the caller sent it."""

    kind: Endpoint
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True

    @property
    def wants_usage(self) -> bool:
        """True where the end of its stream tells the counts of tokens."""
        options = self.body.get("stream_options")
        return self.kind is Endpoint.RESPONSES or (
            isinstance(options, dict) and options.get("include_usage") is True
        )

    @property
    def content(self) -> dict[str, Any]:
        """Return what the answer depends on."""
        return {name: value for name, value in self.body.items() if name not in UNHEEDED}

    def key(self, provider: str, occurrence: int = 0) -> str:
        """Return the identity of the request: where it goes and what it says.

        Args:
            occurrence: How often the same was asked before by the same asker: an asker who wants
                three answers to one question gets three.
        """
        key = digest(["recorded", provider, self.kind.value, self.content])
        return digest([key, occurrence]) if occurrence else key


def read_request(kind: Endpoint, content: bytes) -> Request:
    """Return the request of a body.

    Raises:
        UsageError: it is no JSON object, or not one of this endpoint.
    """
    body = loads(content, where="the request's body", error=UsageError)
    if not isinstance(body, dict):
        raise UsageError("the request's body is no JSON object")
    return checked_request(kind, body)


def checked_request(kind: Endpoint, body: Mapping[str, Any]) -> Request:
    """Return `body` as a request.

    Raises:
        UsageError: names what is missing or not supported.
    """
    model = body.get("model")
    if not isinstance(model, str) or not 0 < len(model) <= _MAX_MODEL:
        raise UsageError("the request names no model")
    if not body.get(_CONTENT[kind]):
        raise UsageError(f"the request has no {_CONTENT[kind]!r}")
    if not isinstance(body.get("stream", False), bool | None):
        raise UsageError("'stream' must be true or false")
    if body.get("background"):
        raise UsageError("'background' is not supported: a recorded answer is there at once")
    return Request(kind, body)


# Requests that have no reply: nobody may answer them here, or nobody has yet.


class PendingError(RagateError):
    """A request that is not known, and that may not be forwarded."""


class ForeignModelError(RagateError):
    """A model that the policy does not allow."""


@dataclass(frozen=True)
class UnansweredRequest:
    """A request that nobody has answered yet.

    Attributes:
        draw: Which of its answers is wanted.
        occurrence: As in `Request.key`.
    """

    key: str
    draw: int
    occurrence: int
    provider: str
    request: Request
