"""The rubric judge: asks once, has one invalid reply mended, and invents nothing."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ragate.core.hashing import digest
from ragate.core.judging.canary_rule import NO_VALID_REPLY
from ragate.core.judging.criteria import CRITERIA, OF_CALLS, TOOL_SEMANTICS, sort_out
from ragate.core.judging.own_criterion import OwnCriterion, shown_name
from ragate.errors import ProviderError
from ragate.guards.escape import one_line, sendable
from ragate.judges._asking import (
    MOST_ANSWER_CHARS,
    InvalidReplyError,
    Messages,
    SentAs,
    object_texts,
    only_valid,
    read_or_mend,
)
from ragate.judges.rubric._judged_sample import MOST_CONTEXT_CHARS, JudgedSample, judged_sample
from ragate.judges.rubric._own_criteria import OwnCriteria, key_of, read_own, schema_of
from ragate.judges.rubric._prompt import Prompt, schema_in_words
from ragate.judges.rubric._reply import (
    MAX_CHARS,
    all_unscored,
    checked_reply,
    read_object,
    refuse_other_keys,
    score,
)
from ragate.judges.rubric._schema import (
    NotAJudgementError,
    NotJsonError,
    OtherShapeError,
    keys_for,
    schema_for,
)
from ragate.judges.rubric._settings import Format, Settings
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatClient, ChatReply, ChatRequest

ASKED_OF_CALLS = {
    TOOL_SEMANTICS: OwnCriterion(
        ask=(
            "the block `calls` holds the calls of tools that the system made, and `right_calls` "
            "calls that are known to be right, each on a line of its own. true if the calls made, "
            "all together, ask the tools for exactly what the question asks: other tools, another "
            "order and other spellings of one value do no harm. false if something asked for is "
            "missing, if a value means something else, if something is called that was not asked "
            "for, or if arguments are unreadable. Do not judge the answer in it."
        )
    )
}
Ask = Callable[[Format], Awaitable[ChatReply]]
_REFUSED = frozenset({400, 415, 422, 501})  # what servers answer to a format they do not have
_NEXT: dict[Format, Format] = {"schema": "json", "json": "text"}
_ENOUGH = 2  # questions refused in every format, before any was answered: it is not the question
_REMEDY = "check the model's name and the parameters in [policy.judge]"


class RubricJudge:
    """Implements `ragate.protocols.Judge` with one chat call a sample.

    Args:
        chat: From a provider's name to its client; called when the first question comes.

    Attributes:
        counted: That client sends all.
    """

    counted = True

    def __init__(
        self, settings: Settings, prompt: Prompt, chat: Callable[[str], ChatClient]
    ) -> None:
        self._settings = settings
        self._prompt = prompt
        self._chat = chat
        self._formats = Formats(settings.format)
        # A criterion of one's own is named by its words, and so is what is remembered of it.
        shown = settings.model_dump(mode="json", exclude={"prompt", "criteria"})
        limits = {"max_answer_chars": MOST_ANSWER_CHARS, "max_context_chars": MOST_CONTEXT_CHARS}
        identity = digest(["rubric", shown | limits, settings.sent(), prompt.fingerprint])
        self._sent = SentAs(identity, settings.sent())
        self.identity, self.adopt = self._sent.identity, self._sent.adopt
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

    @property
    def fingerprint(self) -> str:
        return self._sent.fingerprint

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
        if len(output.answer or "") > MOST_ANSWER_CHARS:
            return False
        return bool(sort_out(criteria, self._known, sample, output)[1])

    async def _judge(
        self, criteria: list[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        if (length := len(output.answer or "")) > MOST_ANSWER_CHARS:
            reason = f"the answer has {length} characters, {MOST_ANSWER_CHARS} are judged"
            return all_unscored(criteria, reason)
        judged = judged_sample(sample, output)
        if not OF_CALLS.keys().isdisjoint(criteria):
            judged = with_calls(judged, sample, output, most=MOST_ANSWER_CHARS)
        client = self._sent.heard(self._chat(self._settings.provider))
        try:
            return await self._ask(client, judged, criteria)
        except InvalidReplyError as error:
            kind = error.kind if isinstance(error, NotAJudgementError) else error.message
            return all_unscored(criteria, f"{NO_VALID_REPLY}: {kind}: {error.shown}")
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
        parameters = self._sent.parameters
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
    texts = object_texts(text, max_chars=MAX_CHARS)
    return only_valid(texts, lambda one: _scores_of(one, judged, criteria, own))


def _scores_of(
    text: str, judged: JudgedSample, criteria: list[str], own: OwnCriteria
) -> dict[str, Score]:
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


# In which way a server is asked for JSON: the best one that it takes, found once and kept.


class Formats:
    """The way of one run.

    A status of 500 is no refusal: an outage looks the same, and asking in three ways would send it
    three times the calls. It only says what may be tried.

    Attributes:
        proven: The first reply to some question was a judgement in the way that is kept.
    """

    def __init__(self, form: Format) -> None:
        self._form = form
        self._settled = False  # the server has answered in this way
        self._answered = False  # in any way
        self.proven = False
        self._left: set[Format] = set()
        self._refused = 0
        self._out: ProviderError | None = None
        self._flying = 0  # first tries whose reply is still to come
        self._landed = asyncio.Event()
        self._search = asyncio.Lock()

    async def __call__(self, ask: Ask) -> tuple[Format, ChatReply]:
        """Return the reply to one question, and the way in which it was asked.

        Raises:
            ProviderError: there is none; fatal where every way was refused from the start.
        """
        self._check()
        form = self._form
        self._flying += 1
        try:
            return form, await self._tried(form, ask)
        except ProviderError as error:
            if not self._seeks(form, error):
                raise
            refusal = error
        finally:
            self._flying -= 1
            self._landed.set()
        async with self._search:  # one looks for another way, and the others wait for it
            self._check()
            if not self._settled:
                return await self._next(form, refusal, ask)
        if form == self._form:  # taken meanwhile, so the refusal is about something else
            raise refusal
        return self._form, await self._tried(self._form, ask)

    def prove(self, form: Format) -> None:
        """Note that a first reply was a judgement."""
        self.proven = self.proven or form == self._form

    def give_up(self, form: Format) -> None:
        """Leave a way that the server takes and does not hold to; it may refuse the next one."""
        if not self.proven and form == self._form and form in _NEXT:
            self._form, self._settled = _NEXT[form], False
            self._left.add(form)

    async def _next(
        self, form: Format, refusal: ProviderError, ask: Ask
    ) -> tuple[Format, ChatReply]:
        while form in _NEXT and not self._settled:
            form = _NEXT[form]
            try:
                return form, await self._tried(form, ask)
            except ProviderError as error:
                if error.fatal or error.status not in _REFUSED:
                    raise
        self._refused += not self._answered
        if self._refused >= _ENOUGH and not await self._any_answered():
            self._out = refusal
            self._check()
        raise refusal

    async def _any_answered(self) -> bool:
        """Wait for the questions under way: a refusal is quicker than a judgement."""
        while self._flying and not self._answered:
            self._landed.clear()
            await self._landed.wait()
        return self._answered

    async def _tried(self, form: Format, ask: Ask) -> ChatReply:
        try:
            reply = await ask(form)
        except ProviderError as error:
            if error.status != 500 or self._settled or form not in _NEXT:
                raise
            remedy = f'if only response_format fails: [policy.judge] format = "{_NEXT[form]}"'
            raise ProviderError(
                error.message, remedy=remedy, fatal=error.fatal, status=500
            ) from error
        self._answered = True
        if not self._settled and form not in self._left:
            self._form, self._settled = form, True
        return reply

    def _seeks(self, form: Format, error: ProviderError) -> bool:
        if error.fatal or error.status not in _REFUSED:
            return False
        return not (self._settled and form == self._form)

    def _check(self) -> None:
        if self._out is not None:
            message, status = self._out.message, self._out.status
            raise ProviderError(message, remedy=_REMEDY, fatal=True, status=status)


# Calls of tools as the judge reads them, and what it is asked of them.


def with_calls(
    judged: JudgedSample, sample: Sample, output: SystemOutput, *, most: int
) -> JudgedSample:
    """Return the case with its calls.

    Args:
        most: Characters of the calls made; what is beyond is cut.
    """
    right = (
        {"name": call.name, "arguments": _accepted(call.accepted.items())}
        for call in sample.expected_calls or ()
    )
    made = (
        {"name": call.name, "arguments": call.malformed or call.arguments}
        for call in output.tool_calls or ()
    )
    lines, room = [], most
    for line in map(_line, made):
        lines.append(line[:room])
        room = max(0, room - len(line))
    return replace(judged, right_calls=tuple(map(_line, right)), calls=tuple(lines))


def _accepted(values: Iterable[tuple[str, tuple[Any, ...]]]) -> dict[str, Any]:
    return {
        name: options[0] if len(options) == 1 else {"one of": list(options)}
        for name, options in values
    }


def _line(call: dict[str, Any]) -> str:
    return sendable(" ".join(json.dumps(call, ensure_ascii=False).split()))
