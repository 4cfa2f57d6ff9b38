"""What every judge of a chat model shares: its settings, and a second try after a bad reply."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import Field

from ragate.clients.dialect import changed, ways
from ragate.clients.replies import heard, quoted
from ragate.clients.thoughts import without_thoughts
from ragate.core.hashing import digest
from ragate.errors import RagateError
from ragate.models import Frozen
from ragate.protocols import ChatClient, ChatReply, ChatRequest

V = TypeVar("V")
REPLIES = 3  # to one question at most, those counted that cannot even be read as a reply
SHOWN = 4_000
MOST_ANSWER_CHARS = 20_000  # a longer answer is unscored, since a cut one could hide anything
CUT = "contexts cut"  # in the reason of such a score, by which they are counted
Messages = tuple[tuple[str, str], ...]  # role and text
_FENCED = re.compile(
    r"\s*```(?:json)?[ \t]*\r?\n(?P<body>.*?)(?:\r?\n)?```\s*", re.DOTALL | re.IGNORECASE
)
_MOST_OBJECTS = 50  # that are looked for in one reply
_DECODER = json.JSONDecoder()


class InvalidReplyError(RagateError):
    """A reply that is no judgement; the message says what is wrong with it.

    Attributes:
        shown: How it begins, to be shown.
    """

    def __init__(self, message: str, *, remedy: str = "", shown: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.shown = shown


def object_texts(text: str, *, max_chars: int) -> list[str]:
    """Return what a reply holds in place of an object: itself, else each that stands in it.

    A fence, prose and a thought around it do no harm: a reader takes the only one that is valid.

    Args:
        max_chars: Of a reply that is looked through; of a longer one nothing is taken.
    """
    if len(text) > max_chars:
        return [text]
    whole = without_thoughts(text).strip()
    fenced = _FENCED.fullmatch(whole)
    whole = (fenced["body"] if fenced else whole).strip()
    is_list = whole.startswith("[") and whole.endswith("]")
    return ([] if is_list else _objects(whole)) or [whole]


def _objects(text: str) -> list[str]:
    """Return the JSON objects in a text, none that stands within another."""
    found: list[str] = []
    start = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        try:
            _, end = _DECODER.raw_decode(text, start)
            found.append(text[start:end])
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return found


def only_valid(texts: Sequence[str], read: Callable[[str], V]) -> V:
    """Return what `read` makes of the only text that it takes.

    Raises:
        InvalidReplyError: it takes none, or several.
    """
    values: list[V] = []
    refusals: list[InvalidReplyError] = []
    for text in texts:
        try:
            values.append(read(text))
        except InvalidReplyError as error:
            refusals.append(error)
    if not values:
        raise refusals[0]
    if len(values) > 1:
        raise InvalidReplyError(f"{len(values)} objects, and each of them could be meant")
    return values[0]


class ModelSettings(Frozen):
    """How the model is asked.

    Attributes:
        temperature: Not sent to a reasoning model, nor to one whose server refuses it.
        seed: Sent where set, not to a reasoning model.
        reasoning: The model reasons: no temperature and no seed is sent, without asking first.
        effort: Reasoning effort, one word such as `low`, sent where set; implies `reasoning`.
        max_tokens: Longest reply, sent where set.
        parameters: Further keys of the request; they win over all others.
    """

    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    reasoning: bool = False
    effort: str = Field(default="", pattern=r"^[a-z]{0,20}$")
    max_tokens: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] = {}

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


class SentAs:
    """What a judge sends, and so what it is known by: its parameters as the model takes them.

    What its server refuses is learned with the first replies. Whoever remembers in which of these
    ways it was asked says it beforehand, so that a run that asks nothing is the same judge.

    Args:
        identity: Of the judge, all parameters sent.
    """

    def __init__(self, identity: str, parameters: Mapping[str, Any]) -> None:
        self.identity = identity
        self._parameters = parameters
        self._changes: frozenset[str] = frozenset()

    @property
    def fingerprint(self) -> str:
        return self._named(self._changes)

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent."""
        return changed(self._parameters, self._changes)

    def heard(self, client: ChatClient) -> ChatClient:
        """Return a client of whose replies it is noted what they were asked for without."""

        async def ask(request: ChatRequest, *, draw: int = 0) -> ChatReply:
            reply = await client(request, draw=draw)
            heard(reply.text)
            self._changes |= set(reply.changed) & self._parameters.keys()
            return reply

        return ask

    def adopt(self, fingerprint: str) -> None:
        """Send in the way that a fingerprint names, where it is one of this judge."""
        for changes in ways(self._parameters):
            if self._named(changes) == fingerprint:
                self._changes = changes

    def _named(self, changes: frozenset[str]) -> str:
        return digest([self.identity, "without", sorted(changes)]) if changes else self.identity


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
        error.shown = quoted(reply.text)
        if tries < 1:
            raise
        shown = reply.text[:SHOWN].strip() or "(empty)"
        correction: Messages = (("assistant", shown), ("user", wish(reply, error)))
    mended = await client(replace(request, messages=request.messages + correction, tries=tries))
    try:
        return read(mended)
    except InvalidReplyError as error:
        error.shown = quoted(mended.text)
        raise
