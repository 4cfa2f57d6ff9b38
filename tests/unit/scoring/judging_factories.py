"""Judges and outputs for the tests of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ragate.cache import Cache
from ragate.metrics.judge import citation_precision, correctness, relevancy
from ragate.models import Sample, Score, SystemOutput, unscored
from ragate.protocols import Judge, MetricRequest
from ragate.scoring.judgement_cache import CachedJudgements
from ragate.scoring.judging import Judging
from ragate.scoring.known_judgements import KnownJudgements
from tests.factories import output_factory, sample_factory


class Sorting:
    """A judge that sorts out and counts what it is asked; citations are none of a model's doing."""

    fingerprint = "0123456789abcdef"
    criteria: frozenset[str] = frozenset()

    def __init__(self, *, apart: bool = False, without: str = "") -> None:
        self.apart = apart
        self.asked: list[tuple[str, ...]] = []
        self._without = without

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        del sample, output
        return set(criteria) != {"citation_precision"}

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        if not self.asks(criteria, sample, output):
            return {name: unscored(name, "no citations in the answer") for name in criteria}
        self.asked.append(tuple(criteria))
        return {
            name: unscored(name, "no valid reply")
            if name == self._without
            else Score(metric=name, value=1.0)
            for name in criteria
        }


METRICS = (citation_precision, correctness, relevancy)


def judge_all(
    judge: Judge,
    root: Path,
    samples: Sequence[Sample],
    tries: int = 1,
) -> list[dict[str, Score]]:
    """Return the verdicts on the same answer to each sample."""
    output = output_factory(answer="Yes.")

    async def run() -> list[dict[str, Score]]:
        with Cache(root / "cache.sqlite") as cache:
            known = KnownJudgements(
                judge,
                [make(MetricRequest(name=make.__name__)) for make in METRICS],
                baseline=None,
                cache=CachedJudgements(cache),
            )
            judging = Judging(known, concurrency=1, timeout_s=5.0)
            for number in range(tries):
                if number and not judging.forget_unscored():
                    break
                for sample in samples:
                    judging.submit(sample, output)
                await judging.settle()
            return [dict(judging.judgement(sample, output)) for sample in samples]

    return asyncio.run(run())


def judge_once(judge: Judge, root: Path) -> dict[str, Score]:
    return judge_all(judge, root, [sample_factory("q")])[0]
