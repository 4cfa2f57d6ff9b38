"""Judging beside collecting: one verdict for each distinct output, looked up before it is asked.

A verdict belongs to what a judge can see (judge, question, references, answer, contexts), not to a
run. It comes from the baseline where that holds it, else from the cache, else from the judge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from functools import partial

from ragate.core.judging.criteria import PAIRWISE
from ragate.core.judging.judgement_hash import judgement_hash
from ragate.errors import BudgetError, NoKeyError, ProviderError
from ragate.judges import CUT, CanaryResult, run_canaries, unchecked
from ragate.models import Run, Sample, Score, SystemOutput, unscored
from ragate.models.score import shared_scores
from ragate.pipeline.score.backlog import Backlog, stop
from ragate.pipeline.score.judge_call_cache import CachedSteps, aside
from ragate.pipeline.score.judgement_cache import (
    CachedJudgements,
    RecordedJudgements,
    Verdict,
    measured,
)
from ragate.pipeline.score.pairwise import Opponents, bare, pair_hash
from ragate.protocols import Judge, JudgeMetric

Ask = Callable[[], Awaitable[Verdict]]
BACKLOG = 256  # verdicts that are waited for while more outputs are taken


class Judging:
    """Gives every submitted output its verdict.

    Attributes:
        fresh, reused: Distinct verdicts that were asked for, and that were there already.
        canaries: Results of the known answers that a judge of this run had to get right.
        unchecked: Criteria in use for which there is no known answer, of a judge that was asked.
        preferences: The comparison with the baseline's answer by sample, of the newest run.
        out: Why the judge gives no more verdicts (its provider is out, a cap is reached), or "".
    """

    def __init__(
        self,
        judge: Judge,
        metrics: Sequence[JudgeMetric],
        *,
        baseline: Run | None,
        cache: CachedJudgements,
        concurrency: int,
        timeout_s: float,
        may_ask: Callable[[Sample], bool] = lambda _sample: True,
        opponents: Opponents | None = None,
        steps: CachedSteps | None = None,
    ) -> None:
        self._judge = judge
        self._steps = steps
        wanted = {metric.criterion for metric in metrics}
        self._criteria = tuple(sorted(wanted - {PAIRWISE}))
        self._opponents = (opponents or Opponents()) if PAIRWISE in wanted else None
        self._known = RecordedJudgements(judge, metrics, baseline)
        self._cache = cache
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._may_ask = may_ask
        self._verdicts: dict[str, Verdict] = {}
        self._held_back: set[str] = set()  # keys that could not be asked for when they came
        self._pending = Backlog(BACKLOG)
        self._canaries: asyncio.Task[list[CanaryResult]] | None = None
        self.canaries: list[CanaryResult] = []
        self.unchecked: tuple[str, ...] = ()
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
        if self._criteria and self._is_open(key := self._key(sample, output)):
            self._submit(key, sample, output)
        if self._opponents is not None and self._opponents.settled(sample, output) is None:
            self._submit_pair(self._opponents, sample, output)

    def _submit(self, key: str, sample: Sample, output: SystemOutput) -> None:
        """Ask for the criteria that have no score yet, and for no other."""
        known, asked, ruled = self._sort_out(key, sample, output)
        self._verdicts[key] = shared_scores(known)
        if ruled:
            self._begin(key, partial(self._judge, ruled, sample, output), ruled, asks=False)
        if not asked:
            self.reused += bool(known)
        elif self._may_now(key, sample):
            self.fresh += 1
            for part in _parts(self._judge, asked):
                self._begin(key, partial(self._judge, part, sample, output), part)

    def _sort_out(
        self, key: str, sample: Sample, output: SystemOutput
    ) -> tuple[Verdict, list[str], list[str]]:
        """Return the scores that are there, and the criteria that need a model, and that do not."""
        known = self._look_up(key, sample, output)
        missing = [name for name in self._criteria if name not in known]
        asked = [name for name in missing if asks(self._judge, [name], sample, output)]
        return known, asked, [name for name in missing if name not in asked]

    def _is_open(self, key: str) -> bool:
        return key not in self._verdicts or key in self._held_back

    def _may_now(self, key: str, sample: Sample) -> bool:
        """Return whether the judge may be asked; an equal output of another sample may yet be."""
        if self._may_ask(sample):
            self._held_back.discard(key)
            return True
        self._held_back.add(key)
        return False

    def _submit_pair(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> None:
        ours, other = bare(output), opponents.other(sample)
        key = self._pair_key(opponents, sample, output)
        compare = getattr(self._judge, "compare", None)
        if not self._is_open(key):
            return
        known = self._cache.get(key) or {}
        self._verdicts[key] = shared_scores(known)
        self.reused += bool(known)
        if known or not self._may_now(key, sample):
            return
        if compare is None:
            reason = "this judge does not compare answers"
            self._verdicts[key] = {PAIRWISE: unscored(PAIRWISE, reason)}
            return

        async def judge() -> Verdict:
            return {PAIRWISE: await compare(sample, ours, other)}

        self.fresh += 1
        self._begin(key, judge, [PAIRWISE])

    def knows(self, sample: Sample, output: SystemOutput) -> bool:
        """Return True where the verdict is there without asking the judge."""
        opponents = self._opponents
        if (
            opponents is not None
            and opponents.settled(sample, output) is None
            and not self._cache.get(self._pair_key(opponents, sample, output))
        ):
            return False
        return not self._sort_out(self._key(sample, output), sample, output)[1]

    async def room(self) -> None:
        """Wait until more outputs may be submitted."""
        await self._pending.room()

    async def settle(self) -> None:
        """Wait until everything that was submitted has its verdict or a reason for having none.

        When the judge's provider is out altogether, or a cap is reached, all is unscored with that
        reason; what the other metrics say still stands.
        """
        try:
            await self._pending.wait()
            if self._canaries is not None:
                self.canaries = await self._canaries
        except (ProviderError, BudgetError, NoKeyError) as error:
            self.out = f"{error.message}; {error.remedy}" if error.remedy else error.message
        finally:
            await self.close()

    async def close(self) -> None:
        """Stop what is still being asked; verdicts that came are in the cache."""
        await self._pending.stop()
        if self._canaries is not None:
            await stop(self._canaries)
        await self._cache.flush()
        if self._steps is not None:
            await self._steps.flush()

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
            known = self._verdicts.get(self._key(sample, output), {})
            missing = self._criteria if len(known) < len(self._criteria) else ()
            found = {**_unscored(missing, "was not judged"), **known}
        if self._opponents is None:
            return found
        self.preferences[sample.id] = self._preference(self._opponents, sample, output)
        return {**found, PAIRWISE: self.preferences[sample.id]}

    def _preference(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> Score:
        settled = opponents.settled(sample, output)
        if settled is not None:
            return settled
        key = self._pair_key(opponents, sample, output)
        known = self._verdicts.get(key, {}).get(PAIRWISE)
        return unscored(PAIRWISE, "judge: was not judged") if known is None else known

    def _unscored(self, reason: str) -> Verdict:
        names = (*self._criteria, *([PAIRWISE] if self._opponents is not None else []))
        return _unscored(names, reason)

    def _key(self, sample: Sample, output: SystemOutput) -> str:
        return judgement_hash(self._judge.fingerprint, self._seen(sample), output)

    def _pair_key(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> str:
        other = opponents.other(sample)
        return pair_hash(self.fingerprint, self._seen(sample), bare(output), other)

    def _seen(self, sample: Sample) -> Sample:
        """Return the sample as the judge reads it: another date is another question."""
        seen: Callable[[Sample], Sample] | None = getattr(self._judge, "seen", None)
        return sample if seen is None else seen(sample)

    def _look_up(self, key: str, sample: Sample, output: SystemOutput) -> Verdict:
        """Return the scores that are there: the baseline's, and those of the cache for the rest."""
        known = self._known(sample, output)
        if all(name in known for name in self._criteria):
            return known
        found = {**(self._cache.get(key) or {}), **known}
        return {name: score for name, score in found.items() if name in self._criteria}

    def _begin(self, key: str, judge: Ask, criteria: Sequence[str], *, asks: bool = True) -> None:
        """Start getting the scores of some criteria of one verdict.

        Args:
            asks: False where it is known that no model is needed.
        """
        if asks and self._canaries is None:
            with aside():
                self._canaries = asyncio.create_task(self._run_canaries())
        self._pending.start(self._ask(key, judge, criteria, asks=asks))

    async def _run_canaries(self) -> list[CanaryResult]:
        compares = self._opponents is not None and not self._opponents.itself
        criteria = (*self._criteria, PAIRWISE) if compares else self._criteria
        self.unchecked = unchecked(self._judge, criteria)
        found = await run_canaries(self._judge, criteria=criteria, timeout_s=self._timeout_s)
        if self._steps is not None and all(result.passed for result in found):
            await self._steps.trust()
        return found

    async def _ask(self, key: str, judge: Ask, criteria: Sequence[str], *, asks: bool) -> None:
        async with self._gate if asks else nullcontext():
            try:
                async with asyncio.timeout(self._timeout_s):
                    found = await judge()
            except TimeoutError:
                found = _unscored(criteria, f"no verdict within {self._timeout_s:g} s")
            found = {name: score for name, score in found.items() if name in criteria}
            self._verdicts[key] = shared_scores({**self._verdicts[key], **found})
            # Before the next is asked: a kill loses no more verdicts than are under way at once.
            if asks and measured(found) and await self._trusted():
                await self._cache.put(key, measured(found))

    async def _trusted(self) -> bool:
        """Wait for the canaries: what a judge says who fails them must not outlive the run."""
        if self._canaries is None:
            return False
        return all(result.passed for result in await asyncio.shield(self._canaries))


def _parts(judge: Judge, criteria: Sequence[str]) -> list[list[str]]:
    """Return what is asked in one go: all, or one by one where each is a question of its own."""
    if getattr(judge, "apart", False):
        return [[name] for name in criteria]
    return [list(criteria)]


def _unscored(criteria: Sequence[str], reason: str) -> Verdict:
    return {name: unscored(name, f"judge: {reason}") for name in criteria}


def asks(judge: Judge, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
    """Return False where a judge says that it needs no model for a verdict."""
    ask = getattr(judge, "asks", None)
    return ask is None or bool(ask(criteria, sample, output))
