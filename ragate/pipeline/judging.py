"""Judging beside collecting: one verdict for each distinct output, looked up before it is asked.

A verdict belongs to what a judge can see (judge, question, references, answer, contexts), not to a
run. It comes from the baseline where that holds it, else from the cache, else from the judge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from ragate.core.criteria import PAIRWISE
from ragate.core.verdict_hash import verdict_hash
from ragate.errors import BudgetError, ProviderError
from ragate.judges import CUT, CanaryResult, run_canaries
from ragate.models import Run, Sample, Score, SystemOutput, unscored
from ragate.models.score import shared_scores
from ragate.pipeline.pairwise import Opponents, bare, pair_hash
from ragate.pipeline.verdicts import CachedVerdicts, KnownVerdicts, Verdict, is_whole
from ragate.protocols import Judge, JudgeMetric

BACKLOG = 256  # verdicts that are waited for while more outputs are taken


class Judging:
    """Gives every submitted output its verdict.

    Attributes:
        fresh, reused: Distinct verdicts that were asked for, and that were there already.
        canaries: Results of the known answers that a judge of this run had to get right.
        preferences: The comparison with the baseline's answer by sample, of the newest run.
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
        opponents: Opponents | None = None,
    ) -> None:
        self._judge = judge
        wanted = {metric.criterion for metric in metrics}
        self._criteria = tuple(sorted(wanted - {PAIRWISE}))
        self._opponents = (opponents or Opponents()) if PAIRWISE in wanted else None
        self._known = KnownVerdicts(judge, metrics, baseline)
        self._cache = cache
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._may_ask = may_ask
        self._verdicts: dict[str, Verdict] = {}
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._space = asyncio.Event()
        self._failure: BaseException | None = None
        self._canaries: asyncio.Task[list[CanaryResult]] | None = None
        self.canaries: list[CanaryResult] = []
        self.preferences: dict[str, Score] = {}
        self.fresh = self.reused = 0
        self.out = ""

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
        if self._criteria:
            key = self._key(sample, output)
            found = self._new(key, lambda: self._look_up(key, sample, output))
            if found and self._may_ask(sample):
                self._begin(
                    key,
                    lambda: self._judge(self._criteria, sample, output),
                    asks=asks(self._judge, self._criteria, sample, output),
                )
        if self._opponents is not None and self._opponents.settled(sample, output) is None:
            self._submit_pair(self._opponents, sample, output)

    def _submit_pair(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> None:
        ours, other = bare(output), opponents.other(sample)
        key = pair_hash(self.fingerprint, sample, ours, other)
        compare = getattr(self._judge, "compare", None)
        if not self._new(key, lambda: self._cache.get(key)) or not self._may_ask(sample):
            return
        if compare is None:
            reason = "this judge does not compare answers"
            self._verdicts[key] = {PAIRWISE: unscored(PAIRWISE, reason)}
            return

        async def judge() -> Verdict:
            return {PAIRWISE: await compare(sample, ours, other)}

        self._begin(key, judge, asks=True)

    def knows(self, sample: Sample, output: SystemOutput) -> bool:
        """Return True where the verdict is there without asking the judge."""
        return self._look_up(self._key(sample, output), sample, output) is not None

    async def room(self) -> None:
        """Wait until more outputs may be submitted: those that wait are held in memory."""
        while len(self._pending) >= BACKLOG:
            self._space.clear()
            await self._space.wait()

    async def settle(self) -> None:
        """Wait until everything that was submitted has its verdict or a reason for having none.

        When the judge's provider is out altogether, or a cap is reached, all is unscored with that
        reason; what the other metrics say still stands.
        """
        try:
            while self._pending and self._failure is None:
                await asyncio.wait(
                    list(self._pending.values()), return_when=asyncio.FIRST_EXCEPTION
                )
            if self._failure is not None:
                raise self._failure
            if self._canaries is not None:
                self.canaries = await self._canaries
        except (ProviderError, BudgetError) as error:
            self.out = error.message
        finally:
            await self.close()

    async def close(self) -> None:
        """Stop what is still being asked; verdicts that came are in the cache."""
        tasks = [*self._pending.values(), *([self._canaries] if self._canaries else [])]
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
        found: Verdict = {}
        if self._criteria:
            known = self._verdicts.get(self._key(sample, output))
            found = self._unscored("was not judged") if known is None else known
        if self._opponents is None:
            return found
        self.preferences[sample.id] = self._preference(self._opponents, sample, output)
        return {**found, PAIRWISE: self.preferences[sample.id]}

    def _preference(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> Score:
        settled = opponents.settled(sample, output)
        if settled is not None:
            return settled
        key = pair_hash(self.fingerprint, sample, bare(output), opponents.other(sample))
        known = self._verdicts.get(key)
        return unscored(PAIRWISE, "judge: was not judged") if known is None else known[PAIRWISE]

    def _unscored(self, reason: str) -> Verdict:
        names = (*self._criteria, *([PAIRWISE] if self._opponents is not None else []))
        return {name: unscored(name, f"judge: {reason}") for name in names}

    def _key(self, sample: Sample, output: SystemOutput) -> str:
        return verdict_hash(self._judge.fingerprint, sample, output)

    def _look_up(self, key: str, sample: Sample, output: SystemOutput) -> Verdict | None:
        known = self._known(sample, output)
        if known is None:
            known = self._cache.get(key)
        if known is None or not known.keys() >= set(self._criteria):
            return None
        return known

    def _new(self, key: str, look_up: Callable[[], Verdict | None]) -> bool:
        """Return True where a verdict has to be asked for; take it where it is there."""
        if key in self._verdicts or key in self._pending:
            return False
        found = look_up()
        if found is None:
            return True
        self._verdicts[key] = shared_scores(found)
        self.reused += 1
        return False

    def _begin(self, key: str, judge: Callable[[], Awaitable[Verdict]], *, asks: bool) -> None:
        if asks and self._canaries is None:
            known = run_canaries(self._judge, criteria=self._criteria, timeout_s=self._timeout_s)
            self._canaries = asyncio.create_task(known)
        self.fresh += 1
        task = self._pending[key] = asyncio.create_task(self._ask(key, judge, asks=asks))
        task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        del self._pending[key]
        if len(self._pending) <= BACKLOG // 2:
            self._space.set()
        if not task.cancelled():
            self._failure = self._failure or task.exception()

    async def _ask(self, key: str, judge: Callable[[], Awaitable[Verdict]], *, asks: bool) -> None:
        async with self._gate:
            try:
                async with asyncio.timeout(self._timeout_s):
                    found = await judge()
            except TimeoutError:
                found = self._unscored(f"no verdict within {self._timeout_s:g} s")
            self._verdicts[key] = shared_scores(found)
            # Before the next is asked: a kill loses no more verdicts than are under way at once.
            if asks and is_whole(found.values()) and await self._trusted():
                await self._cache.put(key, found)

    async def _trusted(self) -> bool:
        """Wait for the canaries: what a judge says who fails them must not outlive the run."""
        if self._canaries is None:
            return False
        return all(result.passed for result in await asyncio.shield(self._canaries))


def asks(judge: Judge, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
    """Return False where a judge says that it needs no model for a verdict."""
    ask = getattr(judge, "asks", None)
    return ask is None or bool(ask(criteria, sample, output))
