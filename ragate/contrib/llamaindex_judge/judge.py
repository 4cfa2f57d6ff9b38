"""The llamaindex judge: one evaluator a criterion, each on its own, none of them guessing."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ragate.clients.thoughts import without_thoughts
from ragate.contrib.llamaindex_judge.criteria import (
    ASKED,
    CHAINED,
    CORRECTNESS,
    GRADE,
    MAX_CHARS,
    PREFERENCE,
    SIMILARITY,
    SINGLE,
    Chained,
    Form,
)
from ragate.contrib.llamaindex_judge.llm import LlmClient
from ragate.contrib.llamaindex_judge.prompts import (
    MOST_CONTEXT_CHARS,
    Prompts,
    UnjudgeableError,
    best_cosine,
    windows,
)
from ragate.contrib.llamaindex_judge.settings import Settings
from ragate.core.conversation import conversation
from ragate.core.hashing import digest
from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.canary_rule import NO_VALID_REPLY
from ragate.core.judging.criteria import sort_out
from ragate.errors import ProviderError
from ragate.guards.escape import one_line, sendable
from ragate.judges._asking import (
    MOST_ANSWER_CHARS,
    InvalidReplyError,
    Messages,
    SentAs,
    read_or_mend,
)
from ragate.models import Sample, Score, SystemOutput, unscored
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Embedder, Resources, Steps

# One answer as text that can be sent to an evaluator.


@dataclass(frozen=True)
class EvaluatedAnswer:
    """What is judged; `other` is the answer that it is compared with."""

    query: str
    text: str
    contexts: tuple[str, ...]
    references: tuple[str, ...]
    other: str = ""

    def check_length(self) -> None:
        """A cut answer could hide anything, so a long one is not judged.

        Raises:
            UnjudgeableError: one of the answers is too long.
        """
        if (length := max(len(self.text), len(self.other))) > MOST_ANSWER_CHARS:
            raise UnjudgeableError(
                f"the answer has {length} characters, {MOST_ANSWER_CHARS} are judged"
            )


def evaluated_answer(
    sample: Sample, output: SystemOutput, other: SystemOutput | None = None
) -> EvaluatedAnswer:
    """Return what is sent of an answer, and of the one that it is compared with."""
    return EvaluatedAnswer(
        query=sendable(conversation(sample)),
        text=sendable(output.answer or ""),
        contexts=tuple(sendable(chunk.text) for chunk in output.chunks),
        references=tuple(sendable(text) for text in sample.references if text.strip()),
        other=sendable(other.answer or "") if other is not None else "",
    )


# One question to the model, and a chain of them over the contexts.


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
        sent: The parameters, and what tells the judge from another.
        steps: Where replies are remembered; None where nowhere.
    """

    client: ChatClient
    model: str
    sent: SentAs
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
        key = digest([self.sent.fingerprint, form.name, messages])
        text = await self.steps.get(key)
        if text is not None:
            with suppress(InvalidReplyError):
                return _judgement(text, form)
        answer = await self._fresh(messages, form)
        await self.steps.keep(key, answer.text)
        return answer

    async def _fresh(self, messages: Messages, form: Form) -> ChainReply:
        request = ChatRequest(self.model, messages, self.sent.parameters)
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
            raise InvalidReplyError(f"not {form.name}", shown=error.shown) from error


def _judgement(text: str, form: Form) -> ChainReply:
    if len(text) > MAX_CHARS:
        raise InvalidReplyError(f"{len(text)} characters")
    value, remark = form.read(without_thoughts(text))
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


VERSION = 1  # raised whenever a request, or what is read from its reply, changes
_HIGHEST = 5.0


class LlamaIndexJudge:
    """Implements `ragate.protocols.Judge`.

    Attributes:
        apart: Each criterion is asked on its own.

    Args:
        llm: The model, where it is one by dotted path.
    """

    apart = True

    def __init__(
        self, settings: Settings, prompts: Prompts, resources: Resources, llm: LlmClient | None
    ) -> None:
        self._settings = settings
        self._prompts = prompts
        self._resources = resources
        self._llm = llm
        self._embedder: Embedder | None = None
        shown = settings.model_dump(mode="json", exclude={"guidelines", "prompts"})
        identity = llm.identity if llm is not None else settings.sent()
        limits = {"max_answer_chars": MOST_ANSWER_CHARS, "max_context_chars": MOST_CONTEXT_CHARS}
        base = digest(["llamaindex", VERSION, shown | limits, identity, prompts.fingerprint])
        self._sent = SentAs(base, {} if llm is not None else settings.sent())
        self.identity, self.adopt = self._sent.identity, self._sent.adopt
        self.criteria = frozenset(ASKED) - (set() if settings.embedder else {SIMILARITY})
        self.grounded = frozenset(name for name, criterion in ASKED.items() if criterion.grounded)
        # What passes by guidelines of the user's own is known to no canary.
        self.own_rules = frozenset({"guideline"} if settings.guidelines else ())

    @property
    def fingerprint(self) -> str:
        return self._sent.fingerprint

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion; one that fails takes no other with it.

        Raises:
            ProviderError: every further call would fail too.
        """
        decided, to_ask = sort_out(criteria, ASKED, sample, output)
        if not to_ask:
            return decided
        asker = self._asker() if set(to_ask) - {SIMILARITY} else None
        answer = evaluated_answer(sample, output)
        tasks = [asyncio.ensure_future(self._score(name, answer, asker)) for name in to_ask]
        try:
            scores = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return decided | {score.metric: score for score in scores}

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where all of it is decided without a call to a model."""
        if len(output.answer or "") > MOST_ANSWER_CHARS:
            return False
        _, to_ask = sort_out(criteria, ASKED, sample, output)
        return any(name != SIMILARITY or self._settings.embedder for name in to_ask)

    def most_calls(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> int:
        """Return how many requests a judgement takes where no verdict comes before the last."""
        steps = max(1, len(output.chunks)) if self._settings.mode == "refine" else 1
        each = {**dict.fromkeys(CHAINED, steps), CORRECTNESS: len(sample.references), PAIRWISE: 2}
        return sum(each.get(name, 1) for name in criteria)

    async def compare(self, sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
        """Return 1 where `output` has the better answer in both orders, 0 where `other` has."""
        return await self._score(PAIRWISE, evaluated_answer(sample, output, other), self._asker())

    def _asker(self) -> Asker:
        settings = self._settings
        if self._llm is not None:
            client = self._resources.capped(self._llm)
        else:
            client = self._sent.heard(self._resources.chat(settings.provider))
        return Asker(client, settings.model, self._sent, self._resources.steps)

    async def _score(self, name: str, answer: EvaluatedAnswer, asker: Asker | None) -> Score:
        try:
            answer.check_length()
            if name == SIMILARITY or asker is None:
                value, reason = await self._similarity(answer), ""
            else:
                value, reason = await self._ask(name, answer, asker)
        except InvalidReplyError as error:
            return unscored(name, f"{NO_VALID_REPLY}: {error.message}: {error.shown}")
        except UnjudgeableError as error:
            return unscored(name, f"judge: {error.message}")
        except ProviderError as error:
            if error.fatal:
                raise
            return unscored(name, f"judge: {one_line(error.message, 200)}")
        return Score(metric=name, value=value, reason=reason)

    async def _ask(self, name: str, answer: EvaluatedAnswer, asker: Asker) -> tuple[float, str]:
        if name in CHAINED:
            return await self._chain(CHAINED[name], answer, asker)
        if name == CORRECTNESS:
            return await self._grade(answer, asker)
        if name == PAIRWISE:
            return await self._duel(answer, asker)
        evaluator = SINGLE[name]
        guidelines = self._prompts.guidelines
        values = {"query": answer.query, "response": answer.text, "guidelines": guidelines}
        reply = await asker(
            self._prompts.messages(evaluator.module, "first", values), evaluator.form
        )
        return reply.value / evaluator.best, reply.remark

    async def _chain(
        self, evaluator: Chained, answer: EvaluatedAnswer, asker: Asker
    ) -> tuple[float, str]:
        question = evaluator.question(answer.query, answer.text)
        texts = windows(self._prompts, evaluator.module, question, answer.contexts, self._settings)

        async def ask(text: str, so_far: ChainReply | None) -> ChainReply:
            if so_far is None:
                values = {"query_str": question, "context_str": text}
                messages = self._prompts.messages(evaluator.module, "first", values)
            else:
                values = {"query_str": question, "context_msg": text}
                values["existing_answer"] = so_far.text
                messages = self._prompts.messages(evaluator.module, "refine", values)
            return await asker(messages, evaluator.form, of=len(texts))

        judgement, steps = await run_chain(texts, ask, best=evaluator.best)
        said = one_line(judgement.text, 200)
        return judgement.value / evaluator.best, f"{said} (at step {steps} of {len(texts)})"

    async def _grade(self, answer: EvaluatedAnswer, asker: Asker) -> tuple[float, str]:
        """Return the best grade over the references, each of which is complete in itself."""
        grades: list[ChainReply] = []
        for reference in answer.references:
            values = {"query": answer.query, "generated_answer": answer.text}
            values["reference_answer"] = reference
            messages = self._prompts.messages(CORRECTNESS, "first", values)
            grades.append(await asker(messages, GRADE, of=len(answer.references)))
            if grades[-1].value >= _HIGHEST:
                break
        best = max(grades, key=lambda grade: grade.value)
        return best.value, best.remark

    async def _duel(self, answer: EvaluatedAnswer, asker: Asker) -> tuple[float, str]:
        """Return who wins in both orders; a judge that changes its mind has seen no difference."""

        async def ask(answer_1: str, answer_2: str) -> float:
            values = {"query": answer.query, "answer_1": answer_1, "answer_2": answer_2}
            values["reference"] = "\n".join(answer.references)
            messages = self._prompts.messages(PAIRWISE, "first", values)
            return (await asker(messages, PREFERENCE, of=2)).value

        ahead = await ask(answer.text, answer.other)
        behind = 1.0 - await ask(answer.other, answer.text)
        if ahead != behind:
            return 0.5, "not the same in both orders"
        return ahead, ""

    async def _similarity(self, answer: EvaluatedAnswer) -> float:
        if not self._settings.embedder:
            raise UnjudgeableError("semantic_similarity needs the table [policy.judge.embedder]")
        if self._embedder is None:
            self._embedder = self._resources.embedder(self._settings.embedder)
        return await best_cosine(self._embedder, answer.text, answer.references)
