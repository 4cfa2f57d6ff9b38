"""One question to the model, and a chain of them over the contexts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.escape import one_line
from ragate.judges._asking import read_or_mend
from ragate.judges.llamaindex._prompts import Messages
from ragate.judges.llamaindex._replies import MAX_CHARS, Form, InvalidReplyError
from ragate.protocols import ChatClient, ChatReply, ChatRequest


@dataclass(frozen=True)
class Verdict:
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
    """Asks a model, and once more where the reply cannot be read."""

    client: ChatClient
    model: str
    parameters: Mapping[str, Any]

    async def __call__(self, messages: Messages, form: Form) -> Verdict:
        """Return the verdict of the first reply that has the form, of two.

        Raises:
            InvalidReplyError: neither has.
            ProviderError: there is none.
        """
        request = ChatRequest(self.model, messages, self.parameters)
        reply = await self.client(request)

        def read(given: ChatReply) -> Verdict:
            return _verdict(given, form)

        def wish(_reply: ChatReply, error: InvalidReplyError) -> str:
            wrong = json.dumps(one_line(error.message, 200), ensure_ascii=False)
            said = f"This reply cannot be read: {wrong}. Judge the same material again."
            return f"{said} {form.wish}"

        try:
            return await read_or_mend(self.client, request, reply, read, wish)
        except InvalidReplyError as error:
            raise InvalidReplyError(f"not {form.name}") from error


def _verdict(reply: ChatReply, form: Form) -> Verdict:
    if len(reply.text) > MAX_CHARS:
        raise InvalidReplyError(f"{len(reply.text)} characters")
    value, remark = form.read(reply.text)
    return Verdict(value, remark, reply.text)


async def run_chain(
    texts: Sequence[str], ask: Callable[[str, Verdict | None], Awaitable[Verdict]], *, best: float
) -> tuple[Verdict, int]:
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
