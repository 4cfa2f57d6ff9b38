"""What the judge of a run was asked about one output, and what it answered: from the cache alone.

The judge goes its way once more with a client that sends nothing: it hands back the replies that
were kept, and notes each question.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NoReturn

from ragate import plugins
from ragate.config import Config
from ragate.core.judging.applicability import PAIRWISE
from ragate.errors import ProviderError, RagateError
from ragate.models import Run, Sample, SystemOutput
from ragate.pipeline.run.relative_dates import judged_on
from ragate.pipeline.score.judgement_cache import cached_steps, reply_key
from ragate.pipeline.score.policy_metrics import judged_metrics, make_metrics
from ragate.protocols import ChatReply, ChatRequest, Judge, Resources, Steps, judge_abilities
from ragate.renderers.explain import JudgeQuestion
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources
from ragate.support.redact import Redactor

_NOT_KEPT = "the reply is not in the cache"


async def judge_questions(
    config: Config, operations: Operations, run: Run, sample: Sample, output: SystemOutput
) -> list[JudgeQuestion]:
    """Return the questions about an output, in order, without keys; [] where nobody judged it."""
    settings = config.policy.judge
    if run.manifest.judge is None or settings is None or output.error is not None:
        return []
    if not plugins.is_builtin("judges", settings.use):
        return [JudgeQuestion(settings.use, note="a judge of your own is not asked again")]
    metrics = judged_metrics(make_metrics(config, [sample], states=run.manifest.states))
    criteria = sorted({each.criterion for each in metrics} - {PAIRWISE})
    try:
        async with _silent_judge(config, operations) as (judge, kept):
            if judge.fingerprint != run.manifest.judge:
                return [JudgeQuestion(settings.use, note="today's judge is not the run's")]
            dated = judged_on(judge, run.manifest.eval_date, [sample])
            apart = judge_abilities(judge).apart or settings.use == "llamaindex"
            for group in [[name] for name in criteria] if apart else [criteria]:
                await dated(group, sample, output)
                kept.close(", ".join(group))
    except RagateError as error:
        return [JudgeQuestion(settings.use, note=error.message)]
    return _redacted(config, operations, kept.questions)


@asynccontextmanager
async def _silent_judge(
    config: Config, operations: Operations
) -> AsyncIterator[tuple[Judge, "_KeptReplies"]]:
    assert config.policy.judge is not None
    settings = config.policy.judge
    async with open_resources(config, operations) as opened:
        kept = _KeptReplies(cached_steps(config, opened))
        resources: Resources = replace(
            opened.judge,
            steps=kept,
            chat=lambda _provider: kept,
            capped=lambda _client: kept,
            embedder=_no_embedder,
        )
        async with plugins.judge(settings.use, settings.own, resources) as judge:
            yield judge, kept


def _no_embedder(_table: Any) -> NoReturn:
    raise ProviderError("an embedder is not asked again")


class _KeptReplies:
    """Both what a judge asks and what remembers its steps: nothing is sent, and all is noted.

    Attributes:
        questions: What was asked about the criteria that are done.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._open: list[JudgeQuestion] = []
        self.questions: list[JudgeQuestion] = []

    def close(self, criteria: str) -> None:
        """Note what was asked about some criteria: where a reply was kept, what was answered."""
        answered = [each for each in self._open if each.reply is not None]
        self.questions += [replace(each, of=criteria) for each in answered or self._open[:1]]
        self._open = []

    async def get(self, key: str) -> None:
        """Return nothing, so that the judge asks."""

    async def keep(self, key: str, text: str) -> None:
        """Keep nothing: it came from there."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Note the question and return the reply to it.

        Raises:
            ProviderError: it is not known; as of a server that does not take a format, so that the
                judge asks in the other ways in which it may have been asked.
        """
        del draw
        reply = await self._steps.get(reply_key(request))
        self._open.append(JudgeQuestion("", tuple(request.messages), reply))
        if reply is None:
            raise ProviderError(_NOT_KEPT, status=400)
        return ChatReply(reply, reused=True)


def _redacted(
    config: Config, operations: Operations, questions: Sequence[JudgeQuestion]
) -> list[JudgeQuestion]:
    names = {*config.policy.key_names, *config.policy.judge_keys}
    redact = Redactor(filter(None, map(operations.environment.get, names)))
    return [
        replace(
            each,
            messages=tuple((role, redact(text)) for role, text in each.messages),
            reply=None if each.reply is None else redact(each.reply),
        )
        for each in questions
    ]
