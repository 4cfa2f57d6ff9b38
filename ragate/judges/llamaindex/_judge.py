"""The llamaindex judge: one evaluator a criterion, each on its own, none of them guessing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.hashing import digest
from ragate.core.judging.criteria import PAIRWISE, sort_out
from ragate.errors import ProviderError
from ragate.judges.llamaindex._chain import Asker, ChainReply, run_chain
from ragate.judges.llamaindex._criteria import (
    ASKED,
    CHAINED,
    CORRECTNESS,
    SIMILARITY,
    SINGLE,
    Chained,
)
from ragate.judges.llamaindex._llm import LlmClient
from ragate.judges.llamaindex._prompts import Prompts
from ragate.judges.llamaindex._replies import GRADE, PREFERENCE, InvalidReplyError
from ragate.judges.llamaindex._settings import Settings
from ragate.judges.llamaindex._similarity import best_cosine
from ragate.judges.llamaindex._windows import UnjudgeableError, windows
from ragate.models import Sample, Score, SystemOutput, unscored
from ragate.protocols import Embedder, Resources
from ragate.support.escape import one_line

VERSION = 1  # raised whenever a request, or what is read from its reply, changes
_HIGHEST = 5.0


@dataclass(frozen=True)
class _JudgedSample:
    """One answer, as text that can be sent."""

    query: str
    answer: str
    contexts: tuple[str, ...]
    references: tuple[str, ...]
    other: str = ""


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
        shown = settings.model_dump(mode="json", exclude={"guidelines"})
        identity = llm.identity if llm is not None else settings.sent()
        self.fingerprint = digest(["llamaindex", VERSION, shown, identity, prompts.fingerprint])
        self.criteria = frozenset(ASKED) - (set() if settings.embedder else {SIMILARITY})
        self.grounded = frozenset(name for name, one in ASKED.items() if one.grounded)
        # What passes by guidelines of the user's own is known to no canary.
        self.own_rules = frozenset({"guideline"} if settings.guidelines else ())

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion; one that fails takes no other with it.

        Raises:
            ProviderError: every further call would fail too.
        """
        found, asked = sort_out(criteria, ASKED, sample, output)
        if not asked:
            return found
        asker = self._asker() if set(asked) - {SIMILARITY} else None
        case = _case(sample, output)
        tasks = [asyncio.ensure_future(self._score(name, case, asker)) for name in asked]
        try:
            scores = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return found | {score.metric: score for score in scores}

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where all of it is decided without a call to a model."""
        if len(output.answer or "") > self._settings.max_answer_chars:
            return False
        asked = sort_out(criteria, ASKED, sample, output)[1]
        return any(name != SIMILARITY for name in asked) or (
            SIMILARITY in asked and bool(self._settings.embedder)
        )

    async def compare(self, sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
        """Return 1 where `output` has the better answer in both orders, 0 where `other` has."""
        return await self._score(PAIRWISE, _case(sample, output, other), self._asker())

    def _asker(self) -> Asker:
        one = self._settings
        if self._llm is not None:
            client, sent = self._resources.capped(self._llm), {}
        else:
            client, sent = self._resources.chat(one.provider), one.sent()
        return Asker(client, one.model, sent, self.fingerprint, self._resources.steps)

    async def _score(self, name: str, case: _JudgedSample, asker: Asker | None) -> Score:
        try:
            _limit(max(case.answer, case.other, key=len), self._settings.max_answer_chars)
            if name == SIMILARITY or asker is None:
                value, reason = await self._similarity(case), ""
            else:
                value, reason = await self._ask(name, case, asker)
        except InvalidReplyError as error:
            return unscored(name, f"judge: no valid reply: {error.message}")
        except UnjudgeableError as error:
            return unscored(name, f"judge: {error.message}")
        except ProviderError as error:
            if error.fatal:
                raise
            return unscored(name, f"judge: {one_line(error.message, 200)}")
        return Score(metric=name, value=value, reason=reason)

    async def _ask(self, name: str, case: _JudgedSample, asker: Asker) -> tuple[float, str]:
        if name in CHAINED:
            return await self._chain(CHAINED[name], case, asker)
        if name == CORRECTNESS:
            return await self._grade(case, asker)
        if name == PAIRWISE:
            return await self._duel(case, asker)
        one = SINGLE[name]
        values = {**one.values(case.query, case.answer), "guidelines": self._prompts.guidelines}
        found = await asker(self._prompts.messages(one.evaluator, "first", values), one.form)
        return found.value / one.best, found.remark

    async def _chain(self, one: Chained, case: _JudgedSample, asker: Asker) -> tuple[float, str]:
        question = one.question(case.query, case.answer)
        texts = windows(self._prompts, one.evaluator, question, case.contexts, self._settings)

        async def ask(text: str, so_far: ChainReply | None) -> ChainReply:
            if so_far is None:
                values = {"query_str": question, "context_str": text}
                messages = self._prompts.messages(one.evaluator, "first", values)
            else:
                values = {"query_str": question, "context_msg": text}
                values["existing_answer"] = so_far.said
                messages = self._prompts.messages(one.evaluator, "refine", values)
            return await asker(messages, one.form, of=len(texts))

        verdict, steps = await run_chain(texts, ask, best=one.best)
        return verdict.value / one.best, f"settled at step {steps} of {len(texts)}"

    async def _grade(self, case: _JudgedSample, asker: Asker) -> tuple[float, str]:
        """Return the best grade over the references, each of which is complete in itself."""
        grades: list[ChainReply] = []
        for reference in case.references:
            values = {"query": case.query, "generated_answer": case.answer}
            values["reference_answer"] = reference
            messages = self._prompts.messages(CORRECTNESS, "first", values)
            grades.append(await asker(messages, GRADE, of=len(case.references)))
            if grades[-1].value >= _HIGHEST:
                break
        best = max(grades, key=lambda one: one.value)
        return best.value, best.remark

    async def _duel(self, case: _JudgedSample, asker: Asker) -> tuple[float, str]:
        """Return who wins in both orders; a judge that changes its mind has seen no difference."""

        async def ask(first: str, second: str) -> float:
            values = {"query": case.query, "answer_1": first, "answer_2": second}
            values["reference"] = "\n".join(case.references)
            messages = self._prompts.messages(PAIRWISE, "first", values)
            return (await asker(messages, PREFERENCE, of=2)).value

        ahead = await ask(case.answer, case.other)
        behind = 1.0 - await ask(case.other, case.answer)
        if ahead != behind:
            return 0.5, "not the same in both orders"
        return ahead, ""

    async def _similarity(self, case: _JudgedSample) -> float:
        if not self._settings.embedder:
            raise UnjudgeableError("semantic_similarity needs the table [policy.judge.embedder]")
        if self._embedder is None:
            self._embedder = self._resources.embedder(self._settings.embedder)
        return await best_cosine(self._embedder, case.answer, case.references)


def _case(sample: Sample, output: SystemOutput, other: SystemOutput | None = None) -> _JudgedSample:
    return _JudgedSample(
        query=_clean(sample.query),
        answer=_clean(output.answer or ""),
        contexts=tuple(_clean(chunk.text) for chunk in output.chunks),
        references=tuple(_clean(text) for text in sample.references if text.strip()),
        other=_clean(other.answer or "") if other is not None else "",
    )


def _limit(answer: str, limit: int) -> None:
    """A cut answer could hide anything, so a long one is not judged.

    Raises:
        UnjudgeableError: it is longer.
    """
    if (length := len(answer)) > limit:
        raise UnjudgeableError(f"the answer has {length} characters, {limit} are judged")


def _clean(text: str) -> str:
    """Return text that can be sent: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
