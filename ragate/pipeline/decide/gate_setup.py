"""One case before the gate: what is asked, what it is compared with, and how it is judged."""

from __future__ import annotations

import datetime
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.dataset import read_dataset, select
from ragate.errors import NoBaselineError
from ragate.models import Proposed, Report, Run, Sample
from ragate.pipeline.decide.compare_and_decide import (
    Decided,
    build_report,
    compare_and_decide,
    refuse_expired_waivers,
    run_facts,
)
from ragate.pipeline.decide.drill_proof import last_proof
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.system_session import Selection
from ragate.pipeline.score.scorer import Scorer, open_scorer
from ragate.runtime.resources import Opened, Operations
from ragate.stores.local import LocalStore


@dataclass(frozen=True)
class GateSetup:
    """Everything that a verdict needs but the outputs."""

    config: Config
    operations: Operations
    samples: Sequence[Sample]
    baseline: Run | None
    control: Run | None
    today: datetime.date
    skip: tuple[str, ...] = ()
    eval_date: str = ""

    @asynccontextmanager
    async def scorer(self, opened: Opened, *, retrieval_only: bool) -> AsyncIterator[Scorer]:
        """Yield the scorer of this case."""
        async with open_scorer(
            self.config,
            opened,
            self.samples,
            self.baseline,
            retrieval_only=retrieval_only,
            environment=self.operations.environment,
            unjudged=self.operations.unjudged,
            skip=self.skip,
            eval_date=self.eval_date,
        ) as scorer:
            yield scorer

    async def decide(
        self, scorer: Scorer, collected: Collected, *, asked: bool = True
    ) -> tuple[Run, Decided]:
        """Score what was collected and decide.

        Args:
            asked: False decides without the metrics that need a judge.
        """
        candidate = await scorer.score(collected, judged=asked)
        judged = compare_and_decide(
            self.config,
            self.samples,
            self.baseline,
            candidate,
            today=self.today,
            control=self.control,
        )
        return candidate, replace(judged.with_notes(scorer), texts=collected.whole)

    def finish(
        self, candidate: Run, judged: Decided, *, started: float, proposed: Proposed | None = None
    ) -> Report:
        """Build the report and store the run."""
        facts = run_facts(self.samples, candidate, judged, duration_s=time.monotonic() - started)
        report = build_report(
            self.config,
            self.samples,
            self.baseline,
            candidate,
            judged,
            facts=facts,
            control=self.control,
            drill=last_proof(self.operations),
            proposed=proposed,
        )
        LocalStore(self.operations.state).save(candidate, report)
        return report


def open_case(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    control: Run | None = None,
) -> GateSetup:
    """Read the golden set and the baseline.

    Raises:
        ConfigError: a waiver has expired.
        DatasetError, BaselineError: a file cannot be read.
    """
    today = datetime.datetime.now(datetime.UTC).date()
    refuse_expired_waivers(config, today)
    samples = load_samples(config, selection)
    baseline = load_baseline_or_none(config)
    skip = selection.filters.skip
    asked = selection.eval_date
    return GateSetup(config, operations, samples, baseline, control, today, skip, asked)


def load_samples(config: Config, selection: Selection) -> Sequence[Sample]:
    """Return the selected golden set."""
    return select(read_dataset(config.dataset), selection.filters)


def load_baseline_or_none(config: Config) -> Run | None:
    """Return the baseline, None where there is no file yet."""
    try:
        return load_baseline(config.baseline)
    except NoBaselineError:
        return None
