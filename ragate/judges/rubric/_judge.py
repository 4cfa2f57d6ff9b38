"""The rubric judge: asks once, has one invalid reply mended, and invents nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from ragate.core.criteria import CRITERIA, sort_out
from ragate.core.hashing import digest
from ragate.errors import ProviderError
from ragate.escape import one_line
from ragate.judges._asking import InvalidReplyError, read_or_mend
from ragate.judges.rubric._case import Case, case_of
from ragate.judges.rubric._prompt import Messages, Prompt
from ragate.judges.rubric._reply import NotAVerdictError, Reply, read_reply
from ragate.judges.rubric._schema import keys_for, schema_for
from ragate.judges.rubric._scores import all_unscored, score
from ragate.judges.rubric._settings import Format, Settings
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatClient, ChatReply, ChatRequest

_REFUSED = frozenset({400, 415, 422, 501})  # what servers answer to a format they do not have
_NEXT: dict[Format, Format] = {"schema": "json", "json": "text"}


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
        self._format: Format = settings.format
        self._settled = False  # the server has answered in this format
        shown = settings.model_dump(mode="json", exclude={"prompt"})
        self.fingerprint = digest(["rubric", shown, settings.sent(), prompt.fingerprint])
        self.criteria = frozenset(CRITERIA)
        self.grounded = frozenset(name for name, one in CRITERIA.items() if one.grounded)

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion, with at most one call and one for mending its reply.

        Raises:
            ProviderError: every further call would fail too.
        """
        found, asked = sort_out(criteria, CRITERIA, sample, output)
        return found | (await self._judge(asked, sample, output) if asked else {})

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where all of it is decided without a call."""
        if len(output.answer or "") > self._settings.max_answer_chars:
            return False
        return bool(sort_out(criteria, CRITERIA, sample, output)[1])

    async def _judge(
        self, asked: list[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        limit = self._settings.max_answer_chars
        if (length := len(output.answer or "")) > limit:
            return all_unscored(asked, f"the answer has {length} characters, {limit} are judged")
        case = case_of(sample, output, max_context_chars=self._settings.max_context_chars)
        client = self._chat(self._settings.provider)
        try:
            reply = await self._ask(client, case, keys_for(asked))
        except NotAVerdictError as error:
            return all_unscored(asked, f"judge: no valid reply: {error.kind}")
        except ProviderError as error:
            if error.fatal:
                raise
            return all_unscored(asked, f"judge: {one_line(error.message, 200)}")
        return {name: score(name, reply, case) for name in asked}

    async def _ask(self, client: ChatClient, case: Case, keys: tuple[str, ...]) -> Reply:
        request, form, reply = await self._first(client, case, keys)

        def read(given: ChatReply) -> Reply:
            return read_reply(given.text, case, keys, fenced=form == "text")

        return await read_or_mend(client, request, reply, read, _wish)

    async def _first(
        self, client: ChatClient, case: Case, keys: tuple[str, ...]
    ) -> tuple[ChatRequest, Format, ChatReply]:
        """Ask in the best format that the server takes; the one it took is kept.

        Once a format was taken, a refusal is about something else (a request too long) and stands.
        """
        form = self._format
        refusal: ProviderError | None = None
        while True:
            request = self._request(self._prompt.messages(case, keys, form), keys, form)
            try:
                reply = await client(request)
            except ProviderError as error:
                refusal = refusal or error
                if error.fatal or error.status not in _REFUSED:
                    raise
                if self._settled and form == self._format:
                    raise
                if not self._settled and form not in _NEXT:
                    raise refusal from error
                form = self._format if self._settled else _NEXT[form]
                continue
            self._format, self._settled = form, True
            return request, form, reply

    def _request(self, messages: Messages, keys: tuple[str, ...], form: Format) -> ChatRequest:
        parameters = self._settings.sent()
        if form == "schema":
            wanted = {"name": "verdict", "strict": True, "schema": schema_for(keys)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif form == "json":
            parameters["response_format"] = {"type": "json_object"}
        return ChatRequest(self._settings.model, messages, parameters)


def _wish(reply: ChatReply, error: InvalidReplyError) -> str:
    """Return what asks for the same verdict in the right form."""
    wrong = json.dumps(one_line(error.message, 300), ensure_ascii=False)
    cut = " It was cut off at the length limit." if reply.finish_reason == "length" else ""
    return (
        f"This reply cannot be read: {wrong}.{cut} Judge the same material by the same "
        "instructions, and send the whole JSON object again, complete and with nothing around it."
    )
