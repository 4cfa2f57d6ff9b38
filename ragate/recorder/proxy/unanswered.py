"""Requests that have no reply: nobody may answer them here, or nobody has yet."""

from dataclasses import dataclass

from ragate.errors import RagateError
from ragate.recorder.proxy.request_identity import Request

NOT_RECORDED = "model request is not recorded; fulfil it"


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
