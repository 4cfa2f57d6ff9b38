"""The rubric judge: asks once, has one invalid reply mended, and invents nothing."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ragate.core.hashing import digest
from ragate.core.judging.criteria import CRITERIA, OF_CALLS, sort_out
from ragate.core.judging.own_criterion import shown_name
from ragate.errors import ProviderError
from ragate.judges._asking import InvalidReplyError, Messages, read_or_mend
from ragate.judges.rubric._formats import Formats
from ragate.judges.rubric._judged_calls import ASKED_OF_CALLS, with_calls
from ragate.judges.rubric._judged_sample import JudgedSample, judged_sample
from ragate.judges.rubric._own_criteria import OwnCriteria, key_of, read_own, schema_of
from ragate.judges.rubric._prompt import Prompt, schema_in_words
from ragate.judges.rubric._reply import checked_reply, read_object, refuse_other_keys
from ragate.judges.rubric._schema import keys_for, schema_for
from ragate.judges.rubric._scores import all_unscored, score
from ragate.judges.rubric._settings import Format, Settings
from ragate.judges.rubric._strict_reply import (
    NotAJudgementError,
    NotJsonError,
    OtherShapeError,
)
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
        # A criterion of one's own is named by its words, and so is what is remembered of it.
        shown = settings.model_dump(mode="json", exclude={"prompt", "criteria"})
        self.fingerprint = digest(["rubric", shown, settings.sent(), prompt.fingerprint])
        own = {name: one.criterion(name) for name, one in settings.criteria.items()}
        self._known = {**CRITERIA, **OF_CALLS, **own}
        self.criteria = frozenset(self._known)
        lists = {name: one for name, one in settings.criteria.items() if one.guidelines}
        self.planted = {name: f"{shown_name(name)}_planted" for name in lists}
        twins = {self.planted[name]: one.with_planted() for name, one in lists.items()}
        self._known |= {name: one.criterion(name) for name, one in twins.items()}
        self._worded = {**settings.criteria, **ASKED_OF_CALLS, **twins}
        self.grounded = frozenset(
            name for name, criterion in self._known.items() if criterion.grounded
        )

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion, with at most one call and one for mending its reply.

        Raises:
            ProviderError: every further call would fail too.
        """
        scores, to_ask = sort_out(criteria, self._known, sample, output)
        return scores | (await self._judge(to_ask, sample, output) if to_ask else {})

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where all of it is decided without a call."""
        if len(output.answer or "") > self._settings.max_answer_chars:
            return False
        return bool(sort_out(criteria, self._known, sample, output)[1])

    async def _judge(
        self, criteria: list[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        limit = self._settings.max_answer_chars
        if (length := len(output.answer or "")) > limit:
            return all_unscored(criteria, f"the answer has {length} characters, {limit} are judged")
        judged = judged_sample(sample, output, max_context_chars=self._settings.max_context_chars)
        if not OF_CALLS.keys().isdisjoint(criteria):
            judged = with_calls(judged, sample, output, most=limit)
        client = self._chat(self._settings.provider)
        try:
            return await self._ask(client, judged, criteria)
        except NotAJudgementError as error:
            return all_unscored(criteria, f"judge: no valid reply: {error.kind}")
        except ProviderError as error:
            if error.fatal:
                raise
            return all_unscored(criteria, f"judge: {one_line(error.message, 200)}")

    async def _ask(
        self, client: ChatClient, judged: JudgedSample, criteria: list[str]
    ) -> dict[str, Score]:
        keys = keys_for(criteria)
        own = {name: self._worded[name] for name in criteria if name not in CRITERIA}

        @cache
        def request(form: Format) -> ChatRequest:
            messages = self._prompt.messages(judged, keys, form, own)
            return self._request(messages, schema_for(keys, schema_of(own)), form)

        form, first_reply = await self._formats(lambda form: client(request(form)))
        ignored = False

        def read(given_reply: ChatReply) -> dict[str, Score]:
            judgement = _scores(given_reply.text, judged, criteria, own)
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
            return f"{words}\n\n{schema_in_words(keys, own)}"

        judgement = await read_or_mend(client, request(form), first_reply, read, wish)
        if ignored:
            self._formats.give_up(form)
        return judgement

    def _request(self, messages: Messages, schema: dict[str, Any], form: Format) -> ChatRequest:
        parameters = self._settings.sent()
        if form == "schema":
            json_schema = {"name": "verdict", "strict": True, "schema": schema}
            parameters["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        elif form == "json":
            parameters["response_format"] = {"type": "json_object"}
        return ChatRequest(self._settings.model, messages, parameters)


def _scores(
    text: str, judged: JudgedSample, criteria: list[str], own: OwnCriteria
) -> dict[str, Score]:
    """Return the score of each criterion that a reply holds, ragate's and the user's own."""
    value, keys = read_object(text), keys_for(criteria)
    own_keys = set(map(key_of, own))
    refuse_other_keys(value, own_keys.union(keys))
    own_scores = read_own(value, own)
    mine = {key: part for key, part in value.items() if key not in own_keys}
    reply = checked_reply(mine, judged, keys)
    return own_scores | {name: score(name, reply, judged) for name in criteria if name not in own}


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
