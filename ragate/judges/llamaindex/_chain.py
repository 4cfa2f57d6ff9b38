"""One question to the model, and a chain of them over the contexts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ragate.core.hashing import digest
from ragate.judges._asking import read_or_mend
from ragate.judges.llamaindex._prompts import Messages
from ragate.judges.llamaindex._replies import MAX_CHARS, Form, InvalidReplyError
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Steps
from ragate.support.escape import one_line


@dataclass(frozen=True)
class ChainReply:
    """What one reply says.

    Attributes:
        value: On the evaluator's own scale.
        remark: What stands beside it, for the report.
        said: The reply as it came: the next step of a chain repeats it to the model.
    """

    value: float
    remark: str = ""
    said: str = ""


@dataclass(frozen=True)
class Asker:
    """Asks a model, and once more where the reply cannot be read.

    Attributes:
        identity: What tells the judge from another.
        steps: Where replies are remembered; None where nowhere.
    """

    client: ChatClient
    model: str
    parameters: Mapping[str, Any]
    identity: str = ""
    steps: Steps | None = None

    async def __call__(self, messages: Messages, form: Form, *, of: int = 1) -> ChainReply:
        """Return the verdict of the first reply that has the form, of two.

        Args:
            of: Questions that make one score; what is said to one of several is remembered.

        Raises:
            InvalidReplyError: neither has.
            ProviderError: there is none.
        """
        if self.steps is None or of == 1:
            return await self._fresh(messages, form)
        key = digest([self.identity, form.name, messages])
        said = await self.steps.get(key)
        if said is not None:
            with suppress(InvalidReplyError):
                return _judgement(said, form)
        verdict = await self._fresh(messages, form)
        await self.steps.keep(key, verdict.said)
        return verdict

    async def _fresh(self, messages: Messages, form: Form) -> ChainReply:
        request = ChatRequest(self.model, messages, self.parameters)
        reply = await self.client(request)

        def read(given: ChatReply) -> ChainReply:
            return _judgement(given.text, form)

        def wish(_reply: ChatReply, error: InvalidReplyError) -> str:
            wrong = json.dumps(one_line(error.message, 200), ensure_ascii=False)
            said = f"This reply cannot be read: {wrong}. Judge the same material again."
            return f"{said} {form.wish}"

        try:
            return await read_or_mend(self.client, request, reply, read, wish)
        except InvalidReplyError as error:
            raise InvalidReplyError(f"not {form.name}") from error


def _judgement(said: str, form: Form) -> ChainReply:
    if len(said) > MAX_CHARS:
        raise InvalidReplyError(f"{len(said)} characters")
    value, remark = form.read(said)
    return ChainReply(value, remark, said)


async def run_chain(
    texts: Sequence[str],
    ask: Callable[[str, ChainReply | None], Awaitable[ChainReply]],
    *,
    best: float,
) -> tuple[ChainReply, int]:
    """Return the last verdict of the chain and the steps that it took.

    Each step after the first is told the verdict so far. It stops at the best one: every refine
    prompt has the model repeat that, whatever the contexts to come hold.

    Args:
        texts: At least one.
        ask: From a text and the verdict so far (None at the first) to the next verdict.
    """
    verdict = await ask(texts[0], None)
    steps = 1
    for text in texts[1:]:
        if verdict.value >= best:
            break
        verdict = await ask(text, verdict)
        steps += 1
    return verdict, steps
