"""What every judge of a chat model shares: its settings, and a second try after a bad reply."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import Field

from ragate.errors import RagateError
from ragate.models import Frozen
from ragate.protocols import ChatClient, ChatReply, ChatRequest

V = TypeVar("V")
REPLIES = 3  # to one question at most, those counted that cannot even be read as a reply
SHOWN = 4_000
CUT = "contexts cut"  # in the reason of such a score, by which they are counted
Messages = tuple[tuple[str, str], ...]  # role and text
_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<body>.*?)\n?```\s*", re.DOTALL)


class InvalidReplyError(RagateError):
    """A reply that is no judgement; the message says what is wrong with it."""


def unfenced(text: str) -> str:
    """Return a reply without the code fence around all of it, where it has one."""
    fenced = _FENCED.fullmatch(text)
    return (fenced["body"] if fenced else text).strip()


class ModelSettings(Frozen):
    """How the model is asked.

    Attributes:
        temperature: Not sent to a reasoning model.
        seed: Sent where set, not to a reasoning model.
        reasoning: The model reasons: it takes no temperature and no seed.
        effort: Reasoning effort, one word such as `low`, sent where set; implies `reasoning`.
        max_tokens: Longest reply, sent where set.
        parameters: Further keys of the request; they win over all others.
        max_answer_chars: A longer answer is unscored, since a cut one could hide anything.
    """

    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    reasoning: bool = False
    effort: str = Field(default="", pattern=r"^[a-z]{0,20}$")
    max_tokens: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] = {}
    max_answer_chars: int = Field(default=20_000, ge=200)

    def sent(self) -> dict[str, Any]:
        """Return the parameters of a request, the reply's format left out."""
        thinks = self.reasoning or bool(self.effort)
        parameters: dict[str, Any] = {} if thinks else {"temperature": self.temperature}
        if self.effort:
            parameters["reasoning_effort"] = self.effort
        if self.seed is not None and not thinks:
            parameters["seed"] = self.seed
        if self.max_tokens is not None:
            parameters["max_completion_tokens" if thinks else "max_tokens"] = self.max_tokens
        return {**parameters, **self.parameters}


async def read_or_mend(
    client: ChatClient,
    request: ChatRequest,
    reply: ChatReply,
    read: Callable[[ChatReply], V],
    wish: Callable[[ChatReply, InvalidReplyError], str],
) -> V:
    """Return what `read` makes of the reply, or of one more that is asked for.

    Args:
        wish: From a reply that is no judgement to what the model is told about it.

    Raises:
        InvalidReplyError: neither is a judgement, or there were too many bad replies before.
        ProviderError: there is no second reply.
    """
    try:
        return read(reply)
    except InvalidReplyError as error:
        tries = REPLIES - 1 - reply.unreadable
        if tries < 1:
            raise
        shown = reply.text[:SHOWN].strip() or "(empty)"
        correction: Messages = (("assistant", shown), ("user", wish(reply, error)))
    return read(await client(replace(request, messages=request.messages + correction, tries=tries)))
