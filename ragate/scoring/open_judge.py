"""The policy's judge: made once, asked by what remembers its replies and its judgements."""

import textwrap
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ragate import plugins
from ragate.answers.losses import Losses
from ragate.answers.relative_dates import judged_on
from ragate.config import Config, JudgeSettings
from ragate.core.judging.canary_rule import Voided
from ragate.core.text.wording import listed
from ragate.errors import ConfigError, NoKeyError, NotReadyError, ProviderError, RagateError
from ragate.extension import system_hooks
from ragate.installed import install_line
from ragate.models import Run, Sample
from ragate.models.progress import Progress
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Judge, Judged, judge_abilities
from ragate.resources.provider_clients import JUDGE_FREE, BeforePaying
from ragate.resources.resources import Opened
from ragate.scoring.judgement_cache import (
    CachedJudgements,
    CachedSteps,
    cached_judgements,
    cached_steps,
)
from ragate.scoring.judging import Judging
from ragate.scoring.known_judgements import KnownJudgements, Opponents, adopt
from ragate.scoring.spared_stages import SparedStages
from ragate.version import MANUAL

_LOCAL = "sentence_transformers"


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
    opened: Opened

    def judging(
        self,
        metrics: Sequence[Judged],
        *,
        samples: Sequence[Sample],
        eval_date: str,
        baseline: Run | None = None,
        opponents: Opponents | None = None,
        spared: SparedStages | None = None,
        losses: Losses | None = None,
    ) -> Judging:
        """Return what gives outputs their judgements.

        Args:
            samples: What may be judged: where one names a date, the judge reads it.
            baseline: What the judge said there is not asked for again.
            spared: Stages of a scorecard that need no asking.
            losses: Counts what is asked in vain; None where nothing depends on it.
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
            spared=spared,
            losses=losses,
            show=self._show,
        )

    def _show(self, progress: Progress) -> None:
        """Show how far the judge is, with what the run has spent."""
        shown = replace(progress, cost_usd=self.opened.tally.cost_usd)
        self.opened.judge.progress(shown)


@asynccontextmanager
async def open_judge(
    config: Config, opened: Opened, *, chat: Callable[[str], ChatClient] | None = None
) -> AsyncIterator[OpenJudge]:
    """Yield the judge of the policy.

    Args:
        chat: Gives its clients, None for those of `opened`.

    Raises:
        ConfigError: the policy has none.
    """
    settings = config.policy.judge
    if settings is None:
        raise ConfigError(
            f"{config.path}: there is no [policy.judge]", remedy=f"{MANUAL}/judge.md shows one"
        )
    steps = cached_steps(config, opened)
    ask, capped = chat or opened.judge.chat, opened.judge.capped
    resources = replace(
        opened.judge,
        steps=steps,
        chat=lambda provider: steps.client(ask(provider)),
        capped=lambda client: steps.client(capped(client)),
    )
    async with plugins.judge(settings.use, settings.own, resources) as judge:
        identity = judge_abilities(judge).identity
        if identity:
            adopt(judge, await steps.sent_as(identity))
        before = judge.fingerprint
        yield OpenJudge(judge, settings, cached_judgements(config, opened), steps, opened)
        if identity and judge.fingerprint != before:
            await steps.keep_sent_as(identity, judge.fingerprint)


# Whether the judge can be asked: looked at before something is paid for that needs it.


@dataclass
class JudgeReadiness:
    """Sees once whether the judge can be had, and gives it its clients.

    Attributes:
        needed: Metrics without which this run comes to nothing; where there are none, the judge may
            fail as it likes.
        recording: A baseline is made.
        failure: Why the judge cannot be asked, once that is known.
    """

    config: Config
    settings: JudgeSettings
    opened: Opened
    needed: Sequence[str]
    recording: bool = False
    failure: NotReadyError | None = None
    _once: BeforePaying = field(default_factory=BeforePaying, init=False)

    def __post_init__(self) -> None:
        self._once.demand(self._look)

    @property
    def answers_cost(self) -> bool:
        """Whether asking the system may cost something, each time, without ragate seeing it."""
        traits = plugins.traits(self.config.system.use)
        return not (traits.recorded or traits.counted or system_hooks(self.config))

    def lack(self) -> NotReadyError | None:
        """Return what the judge lacks on this machine, None where nothing; asks nobody."""
        for provider in self._providers():
            if variable := self.config.policy.unset_key(provider, self.opened.judge.environment):
                unset = f"provider {provider!r}: the environment variable {variable} is not set"
                return self._refusal(unset, f"set {variable}", NoKeyError)
        local = any(table.get("use") == _LOCAL for table in self._tables())
        if local and not plugins.is_installed(_LOCAL):
            why = f'[policy.judge.embedder] use = "{_LOCAL}": the library is not installed'
            return self._refusal(why, install_line("local"))
        return None

    async def look(self) -> None:
        """See that the judge's servers are there and take its keys; the first look counts.

        Raises:
            NotReadyError: names what is missing, and the metrics that need it.
        """
        if self.needed:
            await self._once()

    async def _look(self) -> None:
        self.failure = self.lack()
        try:
            for provider in self._providers() if self.failure is None else ():
                await self.opened.reach(provider)
        except ProviderError as error:
            self.failure = self._refusal(f"the judge at {error.message}", error.remedy)
        if self.failure is not None:
            raise self.failure

    def chat(self, name: str) -> ChatClient:
        """Return a client of the judge, which is looked at before its first call."""
        if not self.needed or not self._paid():
            return self.opened.judge.chat(name)
        self.failure = self.failure or self.lack()
        return _Looked(self.opened.judge.chat(name), self)

    def refuse_void(self, void: Voided, judged: Sequence[Judged]) -> None:
        """Note that the judge is not believed where a baseline is not recorded without it."""
        gating = self.config.policy.needed if self.recording else ()
        for each in judged:
            if each.info.name in gating and (why := void.reason(each.criterion)):
                told = [f"{listed(self.needed)} cannot be recorded:", *textwrap.wrap(why, 96)]
                remedy = f"mend [policy.judge] ({MANUAL}/judge.md): answers are kept"
                self.failure = NotReadyError(
                    "\n  ".join(told), remedy=f"{remedy}; the baseline is unchanged"
                )

    def refuse_waste(self) -> None:
        """Raise where what is still to be collected would be paid for in vain.

        Where collecting costs nothing it goes on: other metrics may tell more.
        """
        if self.failure is not None and self.needed and self._paid():
            raise self.failure

    def _paid(self) -> bool:
        return self.answers_cost or self.opened.budget.tally.calls > 0

    def _refusal(
        self, why: str, remedy: str, kind: type[NotReadyError] = NotReadyError
    ) -> NotReadyError:
        told = f"{why}; {listed(self.needed)} cannot be"
        if self.recording:
            return kind(f"{told} recorded", remedy=f"{remedy}; the baseline is unchanged")
        return kind(f"{told} judged", remedy=f"{remedy}, or {JUDGE_FREE}")

    def _providers(self) -> list[str]:
        names = [self.settings.provider, *(table.get("provider") for table in self._tables())]
        known = self.config.policy.providers
        return list(dict.fromkeys(name for name in names if name in known))

    def _tables(self) -> list[dict[str, Any]]:
        """Return the tables of the judge that are used: its embedder is for one metric alone."""
        unused = set() if "semantic_similarity" in self.needed else {"embedder"}
        settings = self.settings.settings
        return [settings[k] for k in settings.keys() - unused if isinstance(settings[k], dict)]


@dataclass(frozen=True)
class _Looked:
    """A client that is looked at before its first call, where answers are paid for as well."""

    client: ChatClient
    readiness: JudgeReadiness

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        try:
            await self.readiness.look()
        except RagateError as error:
            raise ProviderError(error.message, remedy=error.remedy, fatal=True) from error
        return await self.client(request, draw=draw)
