"""Scoring what was collected: the policy's metrics, and the judge where one of them needs it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragate.config import Config
from ragate.models import Needs, Run, RunManifest, Sample, SystemOutput
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.score.asked.spared_stages import SparedStages
from ragate.pipeline.score.asked_metrics import AskedMetrics
from ragate.pipeline.score.judge_readiness import JudgeReadiness
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.metric_records import evaluate
from ragate.protocols import Aggregate, Metric
from ragate.runtime.operations import Progress
from ragate.runtime.resources import Opened


@dataclass(frozen=True)
class ScoringPlan:
    """What is scored, by which policy, and what the judge is asked.

    Attributes:
        opened: The run's resources.
        baseline: Its tables (idf) are used, and its judgements are not asked for again.
        unjudged: Why the judge is not asked at all, "" where it is.
        may_ask: Whether the judge may be asked about a sample whose judgement is not there yet.
        recording: A baseline is made: its answers are compared with no other's.
        progress: Shows how far the judge is, once nothing else is waited for.
    """

    config: Config
    opened: Opened
    samples: Sequence[Sample]
    baseline: Run | None
    selection: Selection
    unjudged: str = ""
    may_ask: Callable[[Sample], bool] = lambda _sample: True
    recording: bool = False
    progress: Callable[[Progress], None] = lambda _progress: None


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
        if self.judging is None or self.readiness is None:
            return False
        self.plan.opened.before_paying.demand(self.readiness.look)
        if not self.readiness.answers_cost:
            return False
        if not self.judging.knows_any:
            await self.readiness.look()
        return bool(self.readiness.needed) and self.readiness.lack() is not None

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output while others are still collected."""
        if self.judging is not None and not self.ahead:
            self.judging.submit(sample, output)

    async def room(self) -> None:
        """Wait until the judge can take more.

        Raises:
            NotReadyError: it cannot be asked, so that what is still to be collected would be paid
                for in vain.
        """
        if self.judging is None or self.readiness is None:
            return
        await self.judging.queue.room()
        await asyncio.sleep(0)  # what was just submitted asks for its client
        self.readiness.refuse_waste()

    def _show(self, ended: int, total: int) -> None:
        cost = self.plan.opened.tally.cost_usd
        self.plan.progress(Progress("judging", ended, total, "judgements", cost))

    async def score(self, collected: Collected, *, judged: bool = True) -> Run:
        """Return the scored run of everything that was collected so far.

        Args:
            judged: False leaves out what needs a judge, which is not asked then.
        """
        if not judged:
            return self._unjudged(collected)
        passes, samples = collected.passes, self.plan.samples
        if self.judging is not None:
            if self.ahead:
                asked = self.asked.measure
                await asked(passes, samples, spared=self._spared, in_turn=self.ahead, others=False)
            for outputs in collected.passes:
                for sample in self.plan.samples:
                    if sample.id in outputs:
                        self.judging.submit(sample, outputs[sample.id])
                        await self.judging.queue.room()
            await self.judging.settle(self._show)
        in_turn = self.spared.in_turn if self.spared is not None else ()
        await self.asked.measure(passes, samples, spared=self._spared, in_turn=in_turn)
        return evaluate(
            collected.passes,
            self.plan.samples,
            self.metrics,
            manifest=self._manifest(collected.manifest),
            judgements=self.judging.judgement if self.judging is not None else None,
        )

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
        left_out = (*self.left_out, *self.judged)
        manifest = collected.manifest.amended(judge=None, left_out=left_out)
        metrics = [metric for metric in self.metrics if metric.info.needs is Needs.NOTHING]
        return evaluate(collected.passes, self.plan.samples, metrics, manifest=manifest)

    def _manifest(self, manifest: RunManifest) -> RunManifest:
        judge = self.judging.fingerprint if self.judging is not None else None
        return manifest.amended(judge=judge, left_out=tuple(self.left_out))
