"""Not too much waits for a slow service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ragate.cache import Cache
from ragate.errors import ProviderError
from ragate.metrics.judge import relevancy
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import MetricRequest
from ragate.scoring.judgement_cache import CachedJudgements
from ragate.scoring.judging import BACKLOG, Judging
from ragate.scoring.known_judgements import KnownJudgements
from tests.factories import output_factory, sample_factory

SAMPLES = 3 * BACKLOG


class Slow:
    """A judge that takes its time, and is out from one verdict on."""

    fingerprint = "0123456789abcdef"
    criteria: frozenset[str] = frozenset()  # so that there is no canary for it

    def __init__(self, *, out_after: int = SAMPLES) -> None:
        self.asked = 0
        self._out_after = out_after

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        del sample, output
        self.asked += 1
        if self.asked > self._out_after:
            raise ProviderError("it is out", fatal=True)
        await asyncio.sleep(0)
        return {name: Score(metric=name, value=1.0) for name in criteria}


def judged(judge: Slow, root: Path) -> tuple[list[Score], int, str]:
    """Return the scores, the most verdicts that were waited for at once, and why it stopped."""
    pairs = [
        (sample_factory(f"q{n}"), output_factory(answer=f"Answer {n}.")) for n in range(SAMPLES)
    ]

    async def run() -> tuple[list[Score], int, str]:
        most = 0
        with Cache(root / "cache.sqlite") as cache:
            known = KnownJudgements(
                judge,
                [relevancy(MetricRequest(name="relevancy"))],
                baseline=None,
                cache=CachedJudgements(cache),
            )
            judging = Judging(known, concurrency=4, timeout_s=5.0)
            for pair in pairs:
                judging.submit(*pair)
                most = max(most, len(judging.queue))
                await judging.queue.room()
            await judging.settle()
            return [judging.judgement(*pair)["relevancy"] for pair in pairs], most, judging.out

    return asyncio.run(run())


def test_no_more_outputs_wait_for_a_slow_judge_than_fit_into_memory(tmp_path: Path) -> None:
    scores, most, out = judged(Slow(), tmp_path)

    assert [score.value for score in scores] == [1.0] * SAMPLES
    assert most <= BACKLOG
    assert out == ""


def test_a_judge_that_is_out_leaves_nothing_scored_and_nobody_waiting(tmp_path: Path) -> None:
    scores, _, out = judged(Slow(out_after=5), tmp_path)

    assert {score.value for score in scores} == {None}
    assert out == "it is out"
