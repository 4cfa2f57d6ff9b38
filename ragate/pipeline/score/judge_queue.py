"""Questions to a judge that are under way: so many at once, each within its time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext

from ragate.core.judging.canary_rule import CanaryResult, Voided, voided
from ragate.judges import run_canaries, unchecked
from ragate.models import unscored
from ragate.pipeline.score.judge_call_cache import CachedSteps, aside
from ragate.pipeline.score.judgement_cache import CachedJudgements, Judgement, measured
from ragate.protocols import Judge
from ragate.runtime.backlog import Backlog, Heard, stop, unheard
from ragate.support.spans import Spanned, judging, span

Ask = Callable[[], Awaitable[Judgement]]
BACKLOG = 256  # judgements that are waited for while more outputs are taken


class JudgeQueue:
    """Asks a judge, checks it by canaries once it is asked, and keeps what it says on the disk.

    Attributes:
        canaries: Results of the known answers that a judge of this run had to get right.
        voided: What they show that does not count.
        unchecked: Criteria in use for which there is no known answer, of a judge that was asked.

    Args:
        criteria: What the canaries check.
        timeout_s: Seconds for one question.
    """

    def __init__(
        self,
        judge: Judge,
        criteria: Sequence[str],
        *,
        cache: CachedJudgements,
        concurrency: int,
        timeout_s: float,
        steps: CachedSteps | None = None,
    ) -> None:
        self._judge = judge
        self._criteria = tuple(criteria)
        self._cache = cache
        self._steps = steps
        self._concurrency = concurrency
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._pending = Backlog(BACKLOG)
        self._checking: asyncio.Task[list[CanaryResult]] | None = None
        self.canaries: list[CanaryResult] = []
        self.voided = Voided()
        self.unchecked: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._pending)

    def start(
        self,
        key: str,
        ask: Ask,
        criteria: Sequence[str],
        keep: Callable[[Judgement], object],
        *,
        sample: str,
        by_model: bool = True,
    ) -> None:
        """Start getting the scores of some criteria of one judgement.

        Args:
            keep: Gets them, unscored ones too.
            sample: Whose judgement it is.
            by_model: False where it is known that no model is needed.
        """
        if by_model and self._checking is None:
            with aside():
                self._checking = asyncio.create_task(self._check())
        self._pending.start(self._ask(key, ask, criteria, keep, sample=sample, by_model=by_model))
        judging(len(self._pending))

    async def room(self) -> None:
        """Wait until more may be started."""
        await self._pending.room()

    async def settle(self, heard: Heard = unheard) -> None:
        """Wait until all have their scores, and the canaries are in.

        Args:
            heard: Told how many have ended of how many, while it is waited for them.

        Raises:
            ProviderError, BudgetError, NotReadyError: the judge gives no more judgements.
        """
        await self._pending.wait(heard)
        judging(len(self._pending))
        if self._checking is not None:
            self.canaries = await self._checking
            self.voided = self._void(self.canaries)

    async def close(self) -> None:
        """Stop what is still being asked; judgements that came are in the cache."""
        await self._pending.stop()
        if self._checking is not None:
            await stop(self._checking)
        await self._cache.flush()
        if self._steps is not None:
            await self._steps.flush()

    async def _check(self) -> list[CanaryResult]:
        self.unchecked = unchecked(self._judge, self._criteria)
        results = await run_canaries(
            self._judge,
            criteria=self._criteria,
            timeout_s=self._timeout_s,
            concurrency=self._concurrency,
        )
        if self._steps is not None and not self._void(results):
            await self._steps.trust()
        return results

    def _void(self, results: Sequence[CanaryResult]) -> Voided:
        return voided(results, self._criteria, self.unchecked)

    async def _ask(
        self,
        key: str,
        ask: Ask,
        criteria: Sequence[str],
        keep: Callable[[Judgement], object],
        *,
        sample: str,
        by_model: bool,
    ) -> None:
        async with self._gate if by_model else nullcontext():
            try:
                with span(Spanned.JUDGE, sample=sample, criteria=", ".join(criteria)):
                    async with asyncio.timeout(self._timeout_s):
                        judgement = await ask()
            except TimeoutError:
                judgement = without_score(criteria, f"no verdict within {self._timeout_s:g} s")
            scores = {name: score for name, score in judgement.items() if name in criteria}
            keep(scores)
            # Before the next is asked: a kill loses no more judgements than are under way at once.
            if by_model and measured(scores) and (kept := await self._trusted(measured(scores))):
                await self._cache.put(key, kept)

    async def _trusted(self, scores: Judgement) -> Judgement:
        """Wait for the canaries: what a judge says who fails them must not outlive the run."""
        if self._checking is None:
            return {}
        void = self._void(await asyncio.shield(self._checking))
        return {name: score for name, score in scores.items() if not void.reason(name)}


def without_score(criteria: Sequence[str], reason: str) -> Judgement:
    """Return criteria that a judge gave no score, with the reason."""
    return {name: unscored(name, f"judge: {reason}") for name in criteria}
