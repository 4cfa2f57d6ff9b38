"""What the judge of a run was asked about one output, and what it answered: from the cache alone.

The judge goes its way once more with a client that sends nothing: it hands back the replies that
were kept, and notes each question. A judge of several questions goes on where a reply was kept.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NoReturn

from ragate import plugins
from ragate.clients.http.redact import Redactor
from ragate.config import Config
from ragate.core.judging.applicability import PAIRWISE
from ragate.errors import ProviderError, RagateError
from ragate.models import Run, Sample, SystemOutput
from ragate.pipeline.run.relative_dates import judged_on
from ragate.pipeline.score.judgement_cache import cached_steps
from ragate.pipeline.score.policy_metrics import judged_metrics, make_metrics
from ragate.protocols import ChatReply, ChatRequest, Judge, Resources, Steps, judge_abilities
from ragate.renderers.explain import JudgeQuestion
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources

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
                kept.title = ", ".join(group)
                await dated(group, sample, output)
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
        title: What is judged.
        questions: What was asked so far.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._next: str | None = None
        self.title = ""
        self.questions: list[JudgeQuestion] = []

    async def get(self, key: str) -> None:
        """Return nothing, so that the judge asks; its reply is ready then."""
        self._next = await self._steps.get(key)

    async def keep(self, key: str, text: str) -> None:
        """Keep nothing: it came from there."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Note the question and return the reply to it.

        Raises:
            ProviderError: it is not known.
        """
        del draw
        reply, self._next = self._next, None
        self.questions.append(JudgeQuestion(self.title, tuple(request.messages), reply))
        if reply is None:
            raise ProviderError(_NOT_KEPT)
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
