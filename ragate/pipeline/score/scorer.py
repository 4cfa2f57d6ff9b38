"""Scoring what was collected: the policy's metrics, and the judge where one of them needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import cast

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError, RagateError
from ragate.models import Needs, Reads, Run, RunManifest, Sample, SystemOutput
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.relative_dates import judged_on
from ragate.pipeline.score.judge_call_cache import cached_steps
from ragate.pipeline.score.judgement_cache import cached_judgements
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.metric_records import evaluate, make_metrics
from ragate.pipeline.score.pairwise import opponents_of
from ragate.protocols import Aggregate, ChatClient, JudgeMetric, Metric
from ragate.runtime.resources import Opened


@dataclass
class Scorer:
    """The metrics of one run, with its judge.

    Attributes:
        left_out: Metrics of the policy that this run is told not to measure, with the reason.
        needed: A metric of level error needs the judge: without its verdict there is no decision.
        no_client: Why the judge has no client for its model, once it has asked for one.
    """

    metrics: Sequence[Metric | Aggregate]
    samples: Sequence[Sample]
    left_out: Mapping[str, str]
    opened: Opened
    use: str
    judging: Judging | None = None
    needed: bool = False
    no_client: RagateError | None = None

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output while others are still collected."""
        if self.judging is not None:
            self.judging.submit(sample, output)

    async def room(self) -> None:
        """Wait until the judge can take more.

        Raises:
            RagateError: it has no client, so that what is still to be collected would be paid for
                in vain. Where collecting costs nothing it goes on: other metrics may tell more.
        """
        if self.judging is None:
            return
        await self.judging.room()
        await asyncio.sleep(0)  # what was just submitted asks for its client
        if self.no_client is not None and self.needed and self._costs():
            raise self.no_client

    def _costs(self) -> bool:
        if self.use == "pgvector":  # its calls are counted
            return self.opened.budget.calls > 0
        return self.use != "replay"

    async def score(self, collected: Collected, *, judged: bool = True) -> Run:
        """Return the scored run of everything that was collected so far.

        Args:
            judged: False leaves out what needs a judge, which is not asked then.
        """
        if not judged:
            return self._unjudged(collected)
        if self.judging is not None:
            for outputs in collected.passes:
                for sample in self.samples:
                    if sample.id in outputs:
                        self.judging.submit(sample, outputs[sample.id])
                        await self.judging.room()
            await self.judging.settle()
        return evaluate(
            collected.passes,
            self.samples,
            self.metrics,
            manifest=self._manifest(collected.manifest),
            verdicts=self.judging.verdict if self.judging is not None else None,
        )

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the metrics that need the judge."""
        return tuple(m.info.name for m in self.metrics if m.info.needs is Needs.JUDGE)

    def _unjudged(self, collected: Collected) -> Run:
        left_out = (*self.left_out, *self.judged)
        manifest = collected.manifest.model_copy(update={"judge": None, "left_out": left_out})
        metrics = [metric for metric in self.metrics if metric.info.needs is not Needs.JUDGE]
        return evaluate(collected.passes, self.samples, metrics, manifest=manifest)

    def _manifest(self, manifest: RunManifest) -> RunManifest:
        judge = self.judging.fingerprint if self.judging is not None else None
        return manifest.model_copy(update={"judge": judge, "left_out": tuple(self.left_out)})


@asynccontextmanager
async def open_scorer(
    config: Config,
    opened: Opened,
    samples: Sequence[Sample],
    baseline: Run | None,
    *,
    retrieval_only: bool,
    environment: Mapping[str, str],
    unjudged: str = "",
    may_ask: Callable[[Sample], bool] = lambda _sample: True,
    recording: bool = False,
    skip: Sequence[str] = (),
    eval_date: str = "",
) -> AsyncIterator[Scorer]:
    """Yield the scorer of one run.

    Args:
        baseline: Its tables (idf) are used, and its verdicts are not asked for again.
        environment: Where the judge's key would be.
        unjudged: Why the judge is not asked at all, "" where it is.
        may_ask: Whether the judge may be asked about a sample whose verdict is not there yet.
        recording: A baseline is made: its answers are compared with no other's.
        skip: Metrics that are left out on demand.
        eval_date: What ``{today}`` in a question stands for, "" for today.

    Raises:
        ConfigError: a metric needs a judge and the policy names none.
    """
    states = baseline.manifest.states if baseline else {}
    made = make_metrics(config, samples, states=states)
    left_out = _left_out(
        made,
        retrieval_only=retrieval_only,
        unjudged=unjudged or _keyless(config, environment),
        skip=skip,
    )
    metrics = [metric for metric in made if metric.info.name not in left_out]
    judged = [cast("JudgeMetric", one) for one in metrics if one.info.needs is Needs.JUDGE]
    scorer = Scorer(metrics, samples, left_out, opened, config.system.use)
    if not judged:
        yield scorer
        return
    settings = config.policy.judge
    if settings is None:
        names = ", ".join(one.info.name for one in judged)
        raise ConfigError(f"{names}: needs a judge", remedy="add [policy.judge]: docs/judge.md")
    module = plugins.load("judges", settings.use)
    gated = {rule.metric for rule in config.policy.metrics if rule.level == "error"}
    scorer.needed = any(one.info.name in gated for one in judged)
    steps = cached_steps(config, opened)
    resources = replace(opened.judge, steps=steps, chat=_watched(opened.judge.chat, scorer))
    async with module.create(settings.own, resources) as judge:
        scorer.judging = Judging(
            judged_on(judge, eval_date, samples),
            judged,
            baseline=baseline,
            cache=cached_judgements(config, opened),
            concurrency=settings.concurrency,
            timeout_s=settings.timeout_s,
            may_ask=may_ask,
            opponents=opponents_of(None if recording else baseline),
            steps=steps,
        )
        try:
            yield scorer
        except ExceptionGroup as group:  # of the samples under way
            if scorer.no_client is None or not group.subgroup(type(scorer.no_client)):
                raise
            raise scorer.no_client from group
        finally:
            await scorer.judging.close()


def _watched(chat: Callable[[str], ChatClient], scorer: Scorer) -> Callable[[str], ChatClient]:
    """Return `chat`, with what it raises noted: most likely a key that is not set."""

    def client(name: str) -> ChatClient:
        try:
            return chat(name)
        except RagateError as error:
            scorer.no_client = error
            raise

    return client


def _left_out(
    metrics: Sequence[Metric | Aggregate],
    *,
    retrieval_only: bool,
    unjudged: str,
    skip: Sequence[str],
) -> dict[str, str]:
    """Return what is not measured on purpose, by metric, with the reason."""
    found = {}
    for metric in metrics:
        if retrieval_only and metric.info.reads is Reads.ANSWER:
            found[metric.info.name] = "--retrieval-only"
        elif metric.info.name in skip:
            found[metric.info.name] = "--skip"
        elif metric.info.needs is Needs.JUDGE and unjudged:
            found[metric.info.name] = unjudged
    return found


def _keyless(config: Config, environment: Mapping[str, str]) -> str:
    """Return that the judge has no key, where the policy lets a run go without it."""
    if config.policy.without_key != "judge-free" or config.policy.judge is None:
        return ""
    provider = config.policy.providers.get(config.policy.judge.provider)
    name = provider.key_env if provider is not None else ""
    missing = name and not environment.get(name)
    return f"{name} is not set; [policy] without_key = judge-free" if missing else ""
