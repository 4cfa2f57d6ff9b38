"""Judging beside collecting: one verdict for each distinct output, looked up before it is asked.

A verdict belongs to what a judge can see (judge, question, references, answer, contexts), not to a
run. It comes from the baseline where that holds it, else from the cache, else from the judge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ragate.cache import Cache
from ragate.core.hashing import content_hash, output_hash
from ragate.core.verdict_hash import verdict_hash
from ragate.errors import BudgetError, ProviderError
from ragate.judges import CUT, CanaryResult, run_canaries
from ragate.models import Run, Sample, Score, ScoreState, SystemOutput, unscored
from ragate.protocols import Judge, JudgeMetric

Verdict = Mapping[str, Score]


class CachedVerdicts:
    """Verdicts in the cache; a write is on the disk when `put` returns.

    What arrives while one write is under way goes with the next: a write costs much more than a
    row.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._unwritten: dict[str, Verdict] = {}
        self._writing = asyncio.Lock()

    def get(self, key: str) -> Verdict | None:
        """Return the scores by criterion, None where there are none."""
        return self._cache.verdicts([key]).get(key)

    async def put(self, key: str, verdict: Verdict) -> None:
        """Keep the scores; unscored ones never are."""
        self._unwritten[key] = verdict
        await self.flush(key)

    async def flush(self, key: str = "") -> None:
        """Write what is still to be written; with a key only if that one is."""
        async with self._writing:
            if not self._unwritten or (key and key not in self._unwritten):
                return
            some, self._unwritten = self._unwritten, {}
            try:
                await asyncio.to_thread(self._cache.put_verdicts, some)
            except BaseException:
                self._unwritten = {**some, **self._unwritten}  # others wait for it too
                raise


class Judging:
    """Gives every submitted output its verdict.

    Attributes:
        fresh, reused: Distinct verdicts that were asked for, and that were there already.
        canaries: Results of the known answers that a judge of this run had to get right.
        out: Why the judge gives no more verdicts (its provider is out, a cap is reached), or "".
    """

    def __init__(
        self,
        judge: Judge,
        metrics: Sequence[JudgeMetric],
        *,
        baseline: Run | None,
        cache: CachedVerdicts,
        concurrency: int,
        timeout_s: float,
        may_ask: Callable[[Sample], bool] = lambda _sample: True,
    ) -> None:
        self._judge = judge
        self._criteria = tuple(sorted({metric.criterion for metric in metrics}))
        self._known = _known(judge, metrics, baseline)
        self._cache = cache
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._may_ask = may_ask
        self._verdicts: dict[str, Verdict] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._canaries: asyncio.Task[list[CanaryResult]] | None = None
        self.canaries: list[CanaryResult] = []
        self.reused = 0
        self.out = ""

    @property
    def fresh(self) -> int:
        return len(self._tasks)

    @property
    def cut(self) -> int:
        """Count the verdicts that rest on a part of the contexts, as the judge's reasons say."""
        return sum(
            any(CUT in score.reason for score in verdict.values())
            for verdict in self._verdicts.values()
        )

    @property
    def fingerprint(self) -> str:
        return self._judge.fingerprint

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output; an equal one is judged once."""
        key = self._key(sample, output)
        if key in self._verdicts or key in self._tasks:
            return
        found = self._look_up(key, sample, output)
        if found is not None:
            self._verdicts[key] = found
            self.reused += 1
            return
        if not self._may_ask(sample):
            return  # unscored: only verdicts that are there may be used
        if self._canaries is None:
            known = run_canaries(self._judge, criteria=self._criteria)
            self._canaries = asyncio.create_task(known)
        self._tasks[key] = asyncio.create_task(self._ask(key, sample, output))

    def knows(self, sample: Sample, output: SystemOutput) -> bool:
        """Return True where the verdict is there without asking the judge."""
        return self._look_up(self._key(sample, output), sample, output) is not None

    async def settle(self) -> None:
        """Wait until everything that was submitted has its verdict or a reason for having none.

        When the judge's provider is out altogether, or a cap is reached, all is unscored with that
        reason; what the other metrics say still stands.
        """
        waiting: list[asyncio.Task[Any]] = [*self._tasks.values()]
        if self._canaries is not None:
            waiting.append(self._canaries)
        try:
            await asyncio.gather(*waiting)
        except (ProviderError, BudgetError) as error:
            self.out = error.message
        finally:
            await self.close()
        if self._canaries is not None and not self.out:
            self.canaries = self._canaries.result()

    async def close(self) -> None:
        """Stop what is still being asked; verdicts that came are in the cache."""
        tasks = [*self._tasks.values(), *([self._canaries] if self._canaries else [])]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task
        await self._cache.flush()

    def verdict(self, sample: Sample, output: SystemOutput) -> Verdict:
        """Return the scores by criterion.

        All are unscored where the judge failed its canaries or stopped: what it said before is in
        the cache, but nothing may pass on a part of the verdicts, or before the canaries are in.
        """
        if self.out:
            return self._unscored(self.out)
        if failed := [result for result in self.canaries if not result.passed]:
            share = f"{len(failed)} of {len(self.canaries)} known answers"
            first = f"{failed[0].canary}: {failed[0].reason}"
            return self._unscored(f"the judge failed {share}, such as {first}")
        found = self._verdicts.get(self._key(sample, output))
        return self._unscored("was not judged") if found is None else found

    def _unscored(self, reason: str) -> Verdict:
        return {name: unscored(name, f"judge: {reason}") for name in self._criteria}

    def _key(self, sample: Sample, output: SystemOutput) -> str:
        return verdict_hash(self._judge.fingerprint, sample, output)

    def _look_up(self, key: str, sample: Sample, output: SystemOutput) -> Verdict | None:
        known = self._known.get((content_hash(sample), output_hash(output)))
        if known is None:
            known = self._cache.get(key)
        if known is None or not known.keys() >= set(self._criteria):
            return None
        return known

    async def _ask(self, key: str, sample: Sample, output: SystemOutput) -> None:
        async with self._gate:
            try:
                async with asyncio.timeout(self._timeout_s):
                    found = await self._judge(self._criteria, sample, output)
            except TimeoutError:
                found = dict(self._unscored(f"no verdict within {self._timeout_s:g} s"))
        self._verdicts[key] = found
        if is_whole(found.values()) and await self._trusted():
            await self._cache.put(key, found)

    async def _trusted(self) -> bool:
        """Wait for the canaries: what a judge says who fails them must not outlive the run."""
        if self._canaries is None:
            return False
        return all(result.passed for result in await asyncio.shield(self._canaries))


def is_whole(scores: Iterable[Score]) -> bool:
    """Return False where one of the scores could not be measured; such a verdict is not kept."""
    return all(score.state is not ScoreState.UNSCORED for score in scores)


def _known(
    judge: Judge, metrics: Sequence[JudgeMetric], baseline: Run | None
) -> dict[tuple[str, str], Verdict]:
    """Return the baseline's verdicts of the same judge by (content hash, output hash)."""
    if baseline is None or baseline.manifest.judge != judge.fingerprint:
        return {}
    infos = baseline.manifest.metrics
    same = [
        metric
        for metric in metrics
        if metric.info.name in infos
        and infos[metric.info.name].fingerprint == metric.info.fingerprint
    ]
    found: dict[tuple[str, str], Verdict] = {}
    for record in baseline.records:
        verdict = {
            metric.criterion: record.scores[metric.info.name]
            for metric in same
            if metric.info.name in record.scores
        }
        if verdict and is_whole(verdict.values()):
            found.setdefault((record.content_hash, record.output_hash), verdict)
    return found
