"""One question to the model, and a chain of them over the contexts."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ragate.core.hashing import digest
from ragate.judges._asking import InvalidReplyError, Messages, read_or_mend
from ragate.judges.llamaindex._replies import MAX_CHARS, Form
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Steps
from ragate.support.escape import one_line


@dataclass(frozen=True)
class ChainReply:
    """What one reply says.

    Attributes:
        value: On the evaluator's own scale.
        remark: What stands beside it, for the report.
        text: The reply as it came: the next step of a chain repeats it to the model.
    """

    value: float
    remark: str = ""
    text: str = ""


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
        """Return what the first reply says that has the form, of two.

        Args:
            of: Questions that make one score; what is said to one of several is remembered.

        Raises:
            InvalidReplyError: neither has.
            ProviderError: there is none.
        """
        if self.steps is None or of == 1:
            return await self._fresh(messages, form)
        key = digest([self.identity, form.name, messages])
        text = await self.steps.get(key)
        if text is not None:
            with suppress(InvalidReplyError):
                return _judgement(text, form)
        answer = await self._fresh(messages, form)
        await self.steps.keep(key, answer.text)
        return answer

    async def _fresh(self, messages: Messages, form: Form) -> ChainReply:
        request = ChatRequest(self.model, messages, self.parameters)
        first_reply = await self.client(request)

        def read(reply: ChatReply) -> ChainReply:
            return _judgement(reply.text, form)

        def wish(_reply: ChatReply, error: InvalidReplyError) -> str:
            wrong = json.dumps(one_line(error.message, 200), ensure_ascii=False)
            complaint = f"This reply cannot be read: {wrong}. Judge the same material again."
            return f"{complaint} {form.wish}"

        try:
            return await read_or_mend(self.client, request, first_reply, read, wish)
        except InvalidReplyError as error:
            raise InvalidReplyError(f"not {form.name}") from error


def _judgement(text: str, form: Form) -> ChainReply:
    if len(text) > MAX_CHARS:
        raise InvalidReplyError(f"{len(text)} characters")
    value, remark = form.read(text)
    return ChainReply(value, remark, text)


async def run_chain(
    texts: Sequence[str],
    ask: Callable[[str, ChainReply | None], Awaitable[ChainReply]],
    *,
    best: float,
) -> tuple[ChainReply, int]:
    """Return the last judgement of the chain and the steps that it took.

    Each step after the first is told the judgement so far. It stops at the best one: every refine
    prompt has the model repeat that, whatever the contexts to come hold.

    Args:
        texts: At least one.
        ask: From a text and the judgement so far (None at the first) to the next one.
    """
    judgement = await ask(texts[0], None)
    steps = 1
    for text in texts[1:]:
        if judgement.value >= best:
            break
        judgement = await ask(text, judgement)
        steps += 1
    return judgement, steps
