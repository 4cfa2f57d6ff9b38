"""The policy's judge: made once, asked by what remembers its replies and its judgements."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ragate import plugins
from ragate.config import Config, JudgeSettings
from ragate.models import Run, Sample
from ragate.pipeline.run.relative_dates import judged_on
from ragate.pipeline.score.asked.spared_stages import SparedStages
from ragate.pipeline.score.judge_call_cache import CachedSteps, cached_steps
from ragate.pipeline.score.judgement_cache import CachedJudgements, cached_judgements
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.known_judgements import KnownJudgements
from ragate.pipeline.score.pairwise import Opponents
from ragate.protocols import ChatClient, Judge, Judged
from ragate.runtime.resources import Opened


@dataclass(frozen=True)
class OpenJudge:
    """A judge that can be asked.

    Attributes:
        cache: What it said about whole outputs.
        steps: What it replied on the way there.
    """

    judge: Judge
    settings: JudgeSettings
    cache: CachedJudgements
    steps: CachedSteps

    def judging(
        self,
        metrics: Sequence[Judged],
        *,
        samples: Sequence[Sample],
        eval_date: str,
        baseline: Run | None = None,
        opponents: Opponents | None = None,
        may_ask: Callable[[Sample], bool] = lambda _sample: True,
        spared: SparedStages | None = None,
    ) -> Judging:
        """Return what gives outputs their judgements.

        Args:
            samples: What may be judged: where one names a date, the judge reads it.
            baseline: What the judge said there is not asked for again.
            spared: Stages of a scorecard that need no asking.
        """
        judgements = KnownJudgements(
            judged_on(self.judge, eval_date, samples),
            metrics,
            baseline=baseline,
            cache=self.cache,
            opponents=opponents,
        )
        return Judging(
            judgements,
            concurrency=self.settings.concurrency,
            timeout_s=self.settings.timeout_s,
            steps=self.steps,
            may_ask=may_ask,
            spared=spared,
        )


@asynccontextmanager
async def open_judge(
    config: Config,
    settings: JudgeSettings,
    opened: Opened,
    *,
    chat: Callable[[str], ChatClient] | None = None,
) -> AsyncIterator[OpenJudge]:
    """Yield the judge of the policy.

    Args:
        settings: ``[policy.judge]``.
        chat: Gives its clients, None for those of `opened`.
    """
    steps = cached_steps(config, opened)
    resources = replace(opened.judge, steps=steps, chat=chat or opened.judge.chat)
    async with plugins.judge(settings.use, settings.own, resources) as judge:
        yield OpenJudge(judge, settings, cached_judgements(config, opened), steps)
