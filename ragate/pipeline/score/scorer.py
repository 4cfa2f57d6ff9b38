"""Scoring what was collected: the policy's metrics, and the judge where one of them needs it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragate import plugins
from ragate.config import Config
from ragate.errors import RagateError
from ragate.models import Needs, Run, RunManifest, Sample, SystemOutput
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.metric_records import evaluate
from ragate.protocols import Aggregate, ChatClient, Metric
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
    """

    config: Config
    opened: Opened
    samples: Sequence[Sample]
    baseline: Run | None
    selection: Selection
    unjudged: str = ""
    may_ask: Callable[[Sample], bool] = lambda _sample: True
    recording: bool = False


class ClientWatch:
    """Gives a judge its clients, and notes why there is none: most likely a key that is not set.

    Attributes:
        failure: Why the judge has no client, once it has asked for one.

    Args:
        use: The system under test: its calls cost something or not.
        needed: A metric of level error needs the judge: without it there is no decision.
    """

    def __init__(self, opened: Opened, *, use: str, needed: bool) -> None:
        self._opened = opened
        self._traits = plugins.traits(use)
        self._needed = needed
        self.failure: RagateError | None = None

    def chat(self, name: str) -> ChatClient:
        try:
            return self._opened.judge.chat(name)
        except RagateError as error:
            self.failure = error
            raise

    def refuse_waste(self) -> None:
        """Raise where what is still to be collected would be paid for in vain.

        Where collecting costs nothing it goes on: other metrics may tell more.
        """
        if self.failure is not None and self._needed and self._costs():
            raise self.failure

    def _costs(self) -> bool:
        if self._traits.counted:
            return self._opened.budget.tally.calls > 0
        return not self._traits.recorded


@dataclass(frozen=True)
class Scorer:
    """The metrics of one run, with its judge.

    Attributes:
        left_out: Metrics of the policy that this run is told not to measure, with the reason.
        judging, watch: None where no metric needs the judge.
    """

    plan: ScoringPlan
    metrics: Sequence[Metric | Aggregate]
    left_out: Mapping[str, str]
    judging: Judging | None = None
    watch: ClientWatch | None = None

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output while others are still collected."""
        if self.judging is not None:
            self.judging.submit(sample, output)

    async def room(self) -> None:
        """Wait until the judge can take more.

        Raises:
            RagateError: it has no client, so that what is still to be collected would be paid for
                in vain.
        """
        if self.judging is None or self.watch is None:
            return
        await self.judging.room()
        await asyncio.sleep(0)  # what was just submitted asks for its client
        self.watch.refuse_waste()

    async def score(self, collected: Collected, *, judged: bool = True) -> Run:
        """Return the scored run of everything that was collected so far.

        Args:
            judged: False leaves out what needs a judge, which is not asked then.
        """
        if not judged:
            return self._unjudged(collected)
        if self.judging is not None:
            for outputs in collected.passes:
                for sample in self.plan.samples:
                    if sample.id in outputs:
                        self.judging.submit(sample, outputs[sample.id])
                        await self.judging.room()
            await self.judging.settle()
        return evaluate(
            collected.passes,
            self.plan.samples,
            self.metrics,
            manifest=self._manifest(collected.manifest),
            judgements=self.judging.judgement if self.judging is not None else None,
        )

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the metrics that need the judge."""
        return tuple(m.info.name for m in self.metrics if m.info.needs is Needs.JUDGE)

    def _unjudged(self, collected: Collected) -> Run:
        left_out = (*self.left_out, *self.judged)
        manifest = collected.manifest.amended(judge=None, left_out=left_out)
        metrics = [metric for metric in self.metrics if metric.info.needs is not Needs.JUDGE]
        return evaluate(collected.passes, self.plan.samples, metrics, manifest=manifest)

    def _manifest(self, manifest: RunManifest) -> RunManifest:
        judge = self.judging.fingerprint if self.judging is not None else None
        return manifest.amended(judge=judge, left_out=tuple(self.left_out))
