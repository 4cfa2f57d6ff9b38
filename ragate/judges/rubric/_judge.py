"""The rubric judge: asks once, has one invalid reply mended, and invents nothing."""

import json
from collections.abc import Callable, Sequence
from functools import cache

from ragate.core.hashing import digest
from ragate.core.judging.criteria import CRITERIA, sort_out
from ragate.errors import ProviderError
from ragate.judges._asking import InvalidReplyError, Messages, read_or_mend
from ragate.judges.rubric._formats import Formats
from ragate.judges.rubric._judged_sample import JudgedSample, judged_sample
from ragate.judges.rubric._prompt import Prompt, schema_in_words
from ragate.judges.rubric._reply import (
    NotAJudgementError,
    NotJsonError,
    OtherShapeError,
    RubricReply,
    read_reply,
)
from ragate.judges.rubric._schema import keys_for, schema_for
from ragate.judges.rubric._scores import all_unscored, score
from ragate.judges.rubric._settings import Format, Settings
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatClient, ChatReply, ChatRequest
from ragate.support.escape import one_line


class RubricJudge:
    """Implements `ragate.protocols.Judge` with one chat call a sample.

    Args:
        chat: From a provider's name to its client; called when the first question comes.
    """

    def __init__(
        self, settings: Settings, prompt: Prompt, chat: Callable[[str], ChatClient]
    ) -> None:
        self._settings = settings
        self._prompt = prompt
        self._chat = chat
        self._formats = Formats(settings.format)
        shown = settings.model_dump(mode="json", exclude={"prompt"})
        self.fingerprint = digest(["rubric", shown, settings.sent(), prompt.fingerprint])
        self.criteria = frozenset(CRITERIA)
        self.grounded = frozenset(
            name for name, criterion in CRITERIA.items() if criterion.grounded
        )

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion, with at most one call and one for mending its reply.

        Raises:
            ProviderError: every further call would fail too.
        """
        scores, to_ask = sort_out(criteria, CRITERIA, sample, output)
        return scores | (await self._judge(to_ask, sample, output) if to_ask else {})

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where all of it is decided without a call."""
        if len(output.answer or "") > self._settings.max_answer_chars:
            return False
        return bool(sort_out(criteria, CRITERIA, sample, output)[1])

    async def _judge(
        self, criteria: list[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        limit = self._settings.max_answer_chars
        if (length := len(output.answer or "")) > limit:
            return all_unscored(criteria, f"the answer has {length} characters, {limit} are judged")
        judged = judged_sample(sample, output, max_context_chars=self._settings.max_context_chars)
        client = self._chat(self._settings.provider)
        try:
            reply = await self._ask(client, judged, keys_for(criteria))
        except NotAJudgementError as error:
            return all_unscored(criteria, f"judge: no valid reply: {error.kind}")
        except ProviderError as error:
            if error.fatal:
                raise
            return all_unscored(criteria, f"judge: {one_line(error.message, 200)}")
        return {name: score(name, reply, judged) for name in criteria}

    async def _ask(
        self, client: ChatClient, judged: JudgedSample, keys: tuple[str, ...]
    ) -> RubricReply:
        @cache
        def request(form: Format) -> ChatRequest:
            return self._request(self._prompt.messages(judged, keys, form), keys, form)

        form, first_reply = await self._formats(lambda form: client(request(form)))
        ignored = False

        def read(given_reply: ChatReply) -> RubricReply:
            judgement = read_reply(given_reply.text, judged, keys)
            if given_reply is first_reply:
                self._formats.prove(form)
            return judgement

        def wish(given_reply: ChatReply, error: InvalidReplyError) -> str:
            nonlocal ignored
            words = _wish(given_reply, error)
            if form != "schema" or self._formats.proven:
                return words
            # As far as is known the server does not hold to the schema: it is sent in words.
            ignored = isinstance(error, NotJsonError | OtherShapeError) and not _cut(given_reply)
            return f"{words}\n\n{schema_in_words(keys)}"

        judgement = await read_or_mend(client, request(form), first_reply, read, wish)
        if ignored:
            self._formats.give_up(form)
        return judgement

    def _request(self, messages: Messages, keys: tuple[str, ...], form: Format) -> ChatRequest:
        parameters = self._settings.sent()
        if form == "schema":
            json_schema = {"name": "verdict", "strict": True, "schema": schema_for(keys)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        elif form == "json":
            parameters["response_format"] = {"type": "json_object"}
        return ChatRequest(self._settings.model, messages, parameters)


def _wish(reply: ChatReply, error: InvalidReplyError) -> str:
    """Return what asks for the same judgement in the right form."""
    wrong = json.dumps(one_line(error.message, 300), ensure_ascii=False)
    cut = " It was cut off at the length limit." if _cut(reply) else ""
    return (
        f"This reply cannot be read: {wrong}.{cut} Judge the same material by the same "
        "instructions, and send the whole JSON object again, complete and with nothing around it."
    )


def _cut(reply: ChatReply) -> bool:
    return reply.finish_reason == "length"
