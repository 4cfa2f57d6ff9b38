"""Scoring what was collected: the policy's metrics, and the judge where one of them needs it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ragate.answers.collected_outputs import Collected
from ragate.answers.losses import Losses, TimeSettings
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.errors import ConfigError
from ragate.models import Needs, Reads, Run, RunManifest, Sample, ScoreState, SystemOutput
from ragate.protocols import Aggregate, Judged, Metric
from ragate.resources.resources import Opened
from ragate.scoring.asked_metrics import AskedMetrics
from ragate.scoring.metric_records import evaluate
from ragate.scoring.policy_metrics import judged_metrics, make_metrics
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.scoring.judging import Judging
    from ragate.scoring.open_judge import JudgeReadiness
    from ragate.scoring.spared_stages import SparedStages


CALL_SHARE = 0.95  # of a judgement's time, what one call of its judge may take
TRIES = 3  # at most, of a score that one output does not get
_OPTIONS = _RETRIEVAL_ONLY, _SKIP = "--retrieval-only", "--skip"  # why a metric is left out


@dataclass(frozen=True)
class ScoringPlan:
    """What is scored, by which policy, and what the judge is asked.

    Attributes:
        opened: The run's resources.
        baseline: Its tables (idf) are used, and its judgements are not asked for again.
        unjudged: Why the judge is not asked at all, "" where it is.
        recording: A baseline is made: its answers are compared with no other's.
        judge_last: The judge is asked only where the metrics that need none have not failed.
    """

    config: Config
    opened: Opened
    samples: Sequence[Sample]
    baseline: Run | None
    selection: Selection
    unjudged: str = ""
    recording: bool = False
    judge_last: bool = False


@dataclass(frozen=True)
class Scorer:
    """The metrics of one run, with its judge.

    Attributes:
        left_out: Metrics of the policy that this run is told not to measure, with the reason.
        asked: Those that ask a model.
        judging, readiness: None where no metric needs the judge.
        spared: Stages that need no asking; None where all are asked.
        ahead: Metrics that are measured before the judge is asked, which may spare it: it is not
            asked while outputs are still collected then.
    """

    plan: ScoringPlan
    metrics: Sequence[Metric | Aggregate]
    left_out: Mapping[str, str]
    asked: AskedMetrics
    judging: Judging | None = None
    readiness: JudgeReadiness | None = None
    spared: SparedStages | None = None
    ahead: Sequence[str] = ()

    async def expect_answers(self) -> bool:
        """Have the judge looked at before the first answer is paid for that it is needed for.

        What an answer of a foreign system costs nobody sees. Where no judgement is known yet, the
        first one is going to be judged, and the judge is looked at now; else it may turn out to be
        an answer that was judged before.

        Returns:
            Whether one answer should be waited for ahead of the others, to tell which it is.

        Raises:
            NotReadyError: the judge cannot be asked.
        """
        if self.judging is None or self.readiness is None or self.plan.judge_last:
            return False
        self.plan.opened.before_paying.demand(self.readiness.look)
        if not self.readiness.answers_cost:
            return False
        if not self.judging.knows_any:
            await self.readiness.look()
        return bool(self.readiness.needed) and self.readiness.lack() is not None

    def expect_passes(self, passes: int) -> None:
        """Note that so many more passes are made."""
        if self.judging is not None and self.judging.queue.losses is not None:
            self.judging.queue.losses.passes += passes

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output while others are still collected."""
        if self.judging is not None and not self.ahead and not self.plan.judge_last:
            self.judging.submit(sample, output)

    async def room(self) -> None:
        """Wait until the judge can take more.

        Raises:
            NotReadyError: it cannot be asked, so that what is still to be collected would be paid
                for in vain.
        """
        if self.judging is None or self.readiness is None:
            return
        queue = self.judging.queue
        await queue.room()
        self.readiness.failure = self.readiness.failure or queue.hopeless
        for _ in range(2):  # what was just submitted asks for its client, behind the known answers
            await asyncio.sleep(0)
        self.readiness.refuse_void(queue.voided, judged_metrics(self.metrics))
        self.readiness.refuse_waste()

    async def score(self, collected: Collected, *, judged: bool = True) -> Run:
        """Return the scored run of everything that was collected so far.

        Args:
            judged: False leaves out what needs a judge, which is not asked then.
        """
        if not judged:
            return self._unjudged(collected)
        await self._ask(collected)
        for _ in range(TRIES - 1):
            judge = self.judging is not None and self.judging.forget_unscored()
            if not (self.asked.forget_unscored() or judge):
                break
            await self._ask(collected)
        return evaluate(
            collected.passes,
            self.plan.samples,
            self.metrics,
            manifest=self._manifest(collected.manifest),
            judgements=self.judging.judgement if self.judging is not None else None,
        )

    async def _ask(self, collected: Collected) -> None:
        """Ask the judge and the metrics that ask a model about what has no score yet."""
        passes, samples = collected.passes, self.plan.samples
        measure = partial(self.asked.measure, passes, samples, spared=self._spared)
        if self.judging is not None:
            for name in self.ahead:
                await measure(only=name)
            for outputs in passes:
                for sample in samples:
                    if sample.id in outputs:
                        self.judging.submit(sample, outputs[sample.id])
                        await self.judging.queue.room()
            await self.judging.settle()
        for name in self.spared.in_turn if self.spared is not None else ():
            await measure(only=name)
        await measure()

    def _spared(self, sample: Sample, output: SystemOutput) -> frozenset[str]:
        """Return the metrics that need not be asked about an output, once it was judged."""
        if self.spared is None:
            return frozenset()
        judgement = self.judging.judgement(sample, output) if self.judging is not None else {}
        return self.spared.metrics(sample, output, judgement)

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the metrics that need the judge, or a model of their own."""
        return tuple(m.info.name for m in self.metrics if m.info.needs is not Needs.NOTHING)

    def _unjudged(self, collected: Collected) -> Run:
        card = self.plan.config.policy.scorecard
        made = card.made_of(self.judged) if card is not None else ()
        left_out = (*self.left_out, *self.judged, *made)
        manifest = collected.manifest.amended(judge=None, judge_name="", left_out=left_out)
        metrics = [metric for metric in self.metrics if metric.info.needs is Needs.NOTHING]
        return evaluate(collected.passes, self.plan.samples, metrics, manifest=manifest)

    def _manifest(self, manifest: RunManifest) -> RunManifest:
        judge, settings = self.judging, self.plan.config.policy.judge
        return manifest.amended(
            judge=judge.fingerprint if judge is not None else None,
            judge_name=settings.shown if judge is not None and settings is not None else "",
            left_out=tuple(self.left_out),
            lacking=tuple(name for name, why in self.left_out.items() if why not in _OPTIONS),
        )


# From the policy to a scorer: which metrics are measured, and by which judge.


@asynccontextmanager
async def open_scorer(plan: ScoringPlan) -> AsyncIterator[Scorer]:
    """Yield the scorer of one run.

    Raises:
        ConfigError: a metric needs a judge and the policy names none.
    """
    config, samples, opened, baseline = plan.config, plan.samples, plan.opened, plan.baseline
    states = baseline.manifest.states if baseline else {}
    active = make_metrics(
        config,
        samples,
        states=states,
        clients=opened.metrics,
        eval_date=plan.selection.eval_date,
    )
    left_out = _left_out(active, plan)
    asked = AskedMetrics(
        [metric for metric in active if metric.info.name not in left_out],
        baseline=baseline,
        concurrency=opened.system.concurrency,
        timeout_s=opened.system.timeout_s,
    )
    metrics = asked.metrics
    judged = judged_metrics(metrics)
    spared = None
    if config.policy.scorecard is not None:
        from ragate.scoring.spared_stages import spared_stages

        spared = spared_stages(config.policy.scorecard.without(left_out), metrics)
    if not judged:
        yield Scorer(plan, metrics, left_out, asked, spared=spared)
        return
    from ragate.scoring.known_judgements import opponents_of
    from ragate.scoring.open_judge import JudgeReadiness, open_judge

    settings = config.policy.judge
    names = [metric.info.name for metric in judged]
    if settings is None:
        raise ConfigError(
            f"{', '.join(names)}: needs a judge", remedy=f"add [policy.judge]: {MANUAL}/judge.md"
        )
    wanted = config.policy.needed
    needed = [name for name in names if plan.recording or name in wanted]
    readiness = JudgeReadiness(config, settings, opened, needed, recording=plan.recording)
    async with open_judge(config, opened, chat=readiness.chat) as judge:
        judging = judge.judging(
            judged,
            samples=samples,
            eval_date=plan.selection.eval_date,
            baseline=baseline,
            opponents=opponents_of(None if plan.recording else baseline),
            spared=spared,
            losses=_losses(plan, judged, needed) if needed else None,
        )
        try:
            # What the judge lacks is to be told before more is paid for.
            ahead = spared.ahead if spared is not None and readiness.lack() is None else ()
            yield Scorer(plan, metrics, left_out, asked, judging, readiness, spared, ahead)
        finally:
            await judging.close()


def _losses(plan: ScoringPlan, judged: Sequence[Judged], needed: list[str]) -> Losses:
    """Return what counts judgements that are asked for in vain, of the metrics that need them."""
    from ragate.core.rules.unscored import share_allowed

    policy, judge = plan.config.policy, plan.config.policy.judge
    assert judge is not None
    n, baseline = len(plan.samples), None if plan.recording else plan.baseline
    records = () if baseline is None else baseline.records
    unscored = Counter(
        name
        for record in records
        for name, score in record.scores.items()
        if name in needed and score.state is ScoreState.UNSCORED
    )
    share, lost = policy.max_unscored, max(unscored.values(), default=0)
    if baseline is not None:
        share = share_allowed(n, lost=lost, runs=max(n, len(records)), max_unscored=share)
    return Losses(
        "judgements",
        n,
        share,
        TimeSettings(
            judge.concurrency,
            judge.timeout_s,
            "[policy.judge] concurrency = {}, timeout_s = {}",
            CALL_SHARE,
        ),
        passes=plan.selection.runs,
        about=[each.criterion for each in judged if each.info.name in needed],
    )


def no_scorer(plan: ScoringPlan) -> Scorer:
    """Return a scorer of no metric, for outputs that are collected only."""
    system = plan.opened.system
    asked = AskedMetrics(
        [], baseline=None, concurrency=system.concurrency, timeout_s=system.timeout_s
    )
    return Scorer(plan, [], {}, asked)


def _left_out(metrics: Sequence[Metric | Aggregate], plan: ScoringPlan) -> dict[str, str]:
    """Return what is not measured on purpose, by metric, with the reason."""
    unjudged = plan.unjudged or _keyless(plan.config, plan.opened.judge.environment)
    reasons = {}
    for metric in metrics:
        if plan.selection.retrieval_only and metric.info.reads is Reads.ANSWER:
            reasons[metric.info.name] = _RETRIEVAL_ONLY
        elif metric.info.name in plan.selection.filters.skip:
            reasons[metric.info.name] = _SKIP
        elif metric.info.needs is Needs.JUDGE and unjudged:
            reasons[metric.info.name] = unjudged
    return reasons


def _keyless(config: Config, environment: Mapping[str, str]) -> str:
    """Return that the judge has no key, where the policy lets a run go without it."""
    if config.policy.without_key != "judge-free" or config.policy.judge is None:
        return ""
    missing = config.policy.unset_key(config.policy.judge.provider, environment)
    return f"{missing} is not set; [policy] without_key = judge-free" if missing else ""
