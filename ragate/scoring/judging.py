"""Judging beside collecting: one judgement for each distinct output, looked up before it is asked.

A judgement belongs to what a judge can see (judge, question, references, answer, contexts), not to
a run. It comes from the baseline where that holds it, else from the cache, else from the judge.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial

from ragate.answers.backlog import Backlog, stop
from ragate.answers.losses import Losses
from ragate.answers.sample_time import SampleTimeError, sample_time
from ragate.core.judging.applicability import PAIRWISE, ran_out_of_time
from ragate.core.judging.canary_rule import CanaryResult, Voided, voided
from ragate.errors import BudgetError, HopelessError, NotReadyError, ProviderError
from ragate.judges import run_canaries, unchecked
from ragate.models import Sample, Score, ScoreState, SystemOutput, unscored
from ragate.models.progress import Progress, Show, unshown
from ragate.models.score import shared_scores
from ragate.protocols import Judge, judge_abilities
from ragate.scoring.judgement_cache import (
    CachedJudgements,
    CachedSteps,
    Judgement,
    aside,
    is_cut,
    measured,
)
from ragate.scoring.known_judgements import KnownJudgements, Opponents, bare
from ragate.scoring.spared_stages import SparedStages, Turns
from ragate.spans import Spanned, span

Ask = Callable[[], Awaitable[Judgement]]
BACKLOG = 256  # judgements that are waited for while more outputs are taken


class Judging:
    """Gives every submitted output its judgement.

    Attributes:
        queue: What is asked of the judge.
        fresh, reused: Distinct judgements that were asked for, and that were there already.
        preferences: The comparison with the baseline's answer by sample, of the newest run.
        out: Why the judge gives no more (its provider is out, a cap is reached), or "".

    Args:
        spared: Stages of a scorecard that it need not be asked about.
        losses: Counts what the judge is asked in vain; None where nothing depends on it.
        show: Shows how far the judge is.
    """

    def __init__(
        self,
        judgements: KnownJudgements,
        *,
        concurrency: int,
        timeout_s: float,
        steps: CachedSteps | None = None,
        spared: SparedStages | None = None,
        losses: Losses | None = None,
        show: Show = unshown,
    ) -> None:
        opponents = judgements.opponents
        compares = opponents is not None and not opponents.itself
        self.queue = JudgeQueue(
            judgements.judge,
            (*judgements.criteria, PAIRWISE) if compares else judgements.criteria,
            cache=judgements.cache,
            concurrency=concurrency,
            timeout_s=timeout_s,
            steps=steps,
            losses=losses,
            show=show,
        )
        self._known = judgements
        self._judge = judgements.judge
        self._opponents = opponents
        self._turns = Turns(
            spared, judgements.judge, self.queue.start, judgements.criteria, apart=judgements.apart
        )
        self._judgements: dict[str, Judgement] = {}
        self._held_back: set[str] = set()  # keys to ask for later: too early, or without a score
        self._lost: dict[str, list[str]] = {}  # by key, what the judge was asked and gave no score
        self._before: dict[str, Judgement] = {}  # what was known before it was asked once more
        self.preferences: dict[str, Score] = {}
        self.fresh = self.reused = 0
        self.out = ""

    @property
    def cut(self) -> int:
        """Count the judgements on a part of the contexts, as the judge's reasons say."""
        return sum(map(is_cut, self._judgements.values()))

    @property
    def fingerprint(self) -> str:
        return self._judge.fingerprint

    @property
    def knows_any(self) -> bool:
        """Return False where no judgement can be there already, of whatever output."""
        return self._known.any

    @property
    def voided(self) -> Voided:
        """Return which scores do not count, by the known answers that the judge got wrong."""
        return self.queue.voided

    def submit(self, sample: Sample, output: SystemOutput) -> None:
        """Start judging an output; an equal one is judged once."""
        key = self._known.key(sample, output) if self._known.criteria else ""
        if key and (key not in self._judgements or key in self._held_back):
            self._submit(key, sample, output)
        if self._opponents is not None and self._opponents.settled(sample, output) is None:
            self._submit_pair(self._opponents, sample, output)

    def forget_unscored(self) -> bool:
        """Forget which outputs got no score: submitted again, they are asked about once more.

        Returns:
            Whether there are any. Where the judge stopped or was voided, and where it gave none to
            half of what it was asked about, asking again mends nothing.
        """
        lost, self._lost = self._lost, {}
        asked_three_times = self.queue.retried & self.queue.twice
        lost = {key: names for key, names in lost.items() if key not in asked_three_times}
        self.queue.retried.update(lost)
        if self.out or self.voided or len(lost) * 2 > self.fresh + 1:
            return False
        for key, names in lost.items():
            known = self._before[key] = self._judgements[key]
            self._judgements[key] = {n: score for n, score in known.items() if n not in names}
            self._turns.forget(key, names)
        self._held_back.update(lost)
        return bool(lost)

    async def settle(self) -> None:
        """Wait until everything that was submitted has its scores or a reason for having none.

        When its provider is out, a cap is reached, or more was asked in vain than the policy
        allows, all is unscored with that reason.
        """
        try:
            await self.queue.settle()
        except (ProviderError, BudgetError, NotReadyError) as error:
            # A second chance that cannot be paid for takes nothing away from what is known.
            if not self._before:
                self.out = f"{error.message}; {error.remedy}" if error.remedy else error.message
        finally:
            await self.close()
            for key, before in self._before.items():
                self._judgements[key] = {**before, **self._judgements[key]}
            self._held_back.difference_update(self._before)
            self._before = {}

    async def close(self) -> None:
        """Stop what is still being asked; judgements that came are in the cache."""
        await self.queue.close()

    def judgement(self, sample: Sample, output: SystemOutput) -> Judgement:
        """Return the scores by criterion.

        All are unscored where the judge stopped: nothing may pass on a part of the scores, or
        before the canaries are in. What they voided is too.
        """
        judgement = self._said(sample, output)
        if self.out or self.voided:
            reasons = {name: self.out or self.voided.reason(name) for name in judgement}
            for name in filter(reasons.get, reasons):
                judgement = {**judgement, name: unscored(name, f"judge: {reasons[name]}")}
        if PAIRWISE in judgement:
            self.preferences[sample.id] = judgement[PAIRWISE]
        return judgement

    def _said(self, sample: Sample, output: SystemOutput) -> Judgement:
        criteria, opponents = self._known.criteria, self._opponents
        judgement: Judgement = {}
        if criteria:
            scores = self._judgements.get(self._known.key(sample, output), {})
            missing = criteria if len(scores) < len(criteria) else ()
            judgement = {**without_score(missing, "was not judged"), **scores}
        if opponents is None:
            return judgement
        return {**judgement, PAIRWISE: self._preference(opponents, sample, output)}

    def _preference(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> Score:
        settled = opponents.settled(sample, output)
        if settled is not None:
            return settled
        scores = self._judgements.get(self._known.pair_key(opponents, sample, output), {})
        return scores.get(PAIRWISE) or unscored(PAIRWISE, "judge: was not judged")

    def _submit(self, key: str, sample: Sample, output: SystemOutput) -> None:
        """Ask for the criteria that have no score yet, and for no other."""
        earlier = self._judgements.get(key)
        scores, groups, ruled = self._known.sort_out(key, sample, output)
        scores = {**(earlier or {}), **scores}
        groups = [open_ for group in groups if (open_ := [n for n in group if n not in scores])]
        self._judgements[key] = shared_scores(scores)
        keep = partial(self._keep, key)
        if ruled:
            ask = partial(self._judge, ruled, sample, output)
            self.queue.start(key, ask, ruled, keep, sample=sample.id, by_model=False)
        if not groups:
            self.reused += bool(scores) and earlier is None
        else:
            self._held_back.discard(key)
            chosen = self._turns.now(key, groups, sample, output, scores)
            self.fresh += bool(chosen)
            keep_asked = partial(self._keep_asked, key)
            self._turns.start(key, chosen, sample, output, keep_asked)
        if self._turns.any:  # an equal output of a sample with other labels may be asked for more
            self._held_back.add(key)

    def _submit_pair(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> None:
        key = self._known.pair_key(opponents, sample, output)
        if key in self._judgements and key not in self._held_back:
            return
        scores = self._known.pair(key)
        self._judgements[key] = shared_scores(scores)
        self.reused += bool(scores)
        if scores:
            return
        self._held_back.discard(key)
        compare = judge_abilities(self._judge).compare
        if compare is None:
            self._judgements[key] = {PAIRWISE: unscored(PAIRWISE, "this judge does not compare")}
            return

        async def ask() -> Judgement:
            return {PAIRWISE: await compare(sample, bare(output), opponents.other(sample))}

        self.fresh += 1
        keep = partial(self._keep, key)
        self.queue.start(key, ask, [PAIRWISE], keep, sample=sample.id)

    def _keep_asked(self, key: str, scores: Judgement) -> Judgement:
        lost = lost_names(scores)
        if lost:
            self._lost.setdefault(key, []).extend(lost)
        return self._keep(key, scores)

    def _keep(self, key: str, scores: Judgement) -> Judgement:
        known = self._judgements[key] = shared_scores({**self._judgements[key], **scores})
        return known


# Questions to a judge that are under way: so many at once, each within its time.


class JudgeQueue:
    """Asks a judge, checks it by canaries once it is asked, and keeps what it says on the disk.

    Attributes:
        canaries: Results of the known answers that a judge of this run had to get right.
        voided: What they show that does not count.
        retried: Keys that are asked about once more.
        twice: Keys that were asked about again at once: they ran out of time.
        unchecked: Criteria in use for which there is no known answer, of a judge that was asked.

    Args:
        criteria: What the canaries check.
        timeout_s: Seconds for one question.
        losses: Counts what is asked in vain.
        show: Shows how far the known answers are, and the judgements once nothing else is waited
            for.
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
        losses: Losses | None = None,
        show: Show = unshown,
    ) -> None:
        self.losses = losses
        self._show = show
        self._in_vain = 0  # questions that ended without a score
        self.retried: set[str] = set()
        self.twice: set[str] = set()
        self._judge = judge
        self._criteria = tuple(criteria)
        self._cache = cache
        self._steps = steps
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._pending = Backlog(BACKLOG)
        self._plain_done = asyncio.Event()
        self._checking: asyncio.Task[Voided] | None = None
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

    async def room(self) -> None:
        """Wait until more may be started."""
        await self._pending.room()

    @property
    def hopeless(self) -> HopelessError | None:
        """Return why nothing more is asked, where too much was asked in vain."""
        failure = self._pending.failure
        return failure if isinstance(failure, HopelessError) else None

    async def settle(self) -> None:
        """Wait until all have their scores, and the canaries are in.

        Raises:
            ProviderError, BudgetError, NotReadyError: the judge gives no more judgements.
        """
        await self._pending.wait(self._heard)
        await self._found_void()

    def _heard(self, ended: int, total: int) -> None:
        self._show(Progress("judging", ended, total, "judgements", failed=self._in_vain))

    async def close(self) -> None:
        """Stop what is still being asked; judgements that came are in the cache."""
        await self._pending.stop()
        if self._checking is not None:
            await stop(self._checking)
        await self._cache.flush()
        if self._steps is not None:
            await self._steps.flush()

    async def _check(self) -> Voided:
        try:
            self.unchecked = unchecked(self._judge, self._criteria)
            known = self._steps.passed(self._judge, self._criteria) if self._steps else []
            self.canaries = known or await run_canaries(
                self._judge,
                criteria=self._criteria,
                timeout_s=self._timeout_s,
                gate=self._gate,
                at_most=_at_most,
                plain_done=self._plain_done,
                show=self._show,
            )
            self.voided = voided(self.canaries, self._criteria, self.unchecked)
            if self._steps is not None and not self.voided:
                if not known:
                    await self._steps.keep_passed(self._judge, self._criteria, self.canaries)
                await self._steps.trust()
            return self.voided
        finally:
            self._plain_done.set()

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
        if by_model:  # plain known answers come first: who gets them wrong need not be asked
            await self._plain_done.wait()
        await asyncio.sleep(0)  # so do the others: they hold up whatever is kept
        async with self._turn(key, criteria) if by_model else nullcontext():
            if by_model and self._checking is not None and self._checking.done():
                void = self._checking.result()  # raises where the judge was given up meanwhile
                if all(map(void.reason, criteria)):
                    keep(without_score(criteria, void.reason(criteria[0])))
                    self._in_vain += 1
                    return
            if by_model and (found := self._cache.get(key) or {}).keys() >= set(criteria):
                keep({name: found[name] for name in criteria})  # another command got it meanwhile
                return
            scores = await self._asked(ask, criteria, sample)
            lost = lost_names(scores) if by_model else []
            was_late = any(ran_out_of_time(scores[name].reason) for name in lost)
            may_ask_again = was_late and key not in self.retried
            if may_ask_again and not any(map((await self._found_void()).reason, lost)):
                self.twice.add(key)
                again = await self._asked(ask, criteria, sample)
                scores = {**scores, **{name: again[name] for name in lost if name in again}}
            keep(scores)
            self._in_vain += bool(lost_names(scores))
            self._count(key, scores, late=may_ask_again)
            # Before the next is asked: a kill loses no more judgements than are under way at once.
            if by_model and (found := measured(scores)):
                void = await self._found_void()  # what it says in vain must not outlive the run
                if kept := {name: found[name] for name in found if not void.reason(name)}:
                    await self._cache.put(key, kept)

    @asynccontextmanager
    async def _turn(self, key: str, criteria: Sequence[str]) -> AsyncIterator[None]:
        async with self._gate, self._cache.turn(key, criteria):
            yield

    def _count(self, key: str, scores: Judgement, *, late: bool) -> None:
        """Count what ran out of time twice, or once as the known answers did.

        Other failures have had their tries in the client.

        Raises:
            HopelessError: it is more than the policy allows.
        """
        if self.losses is None:
            return
        lost = lost_names(scores)
        if not lost:
            self.losses.recovered(key)
        elif late:
            self.losses.lose(key, scores[lost[0]].reason, lost)

    async def _found_void(self) -> Voided:
        """Wait for the canaries, and return what they show that does not count."""
        return Voided() if self._checking is None else await asyncio.shield(self._checking)

    async def _asked(self, ask: Ask, criteria: Sequence[str], sample: str) -> Judgement:
        """Return what one question brings, within its time."""
        started = time.monotonic()
        if self.losses is not None:
            self.losses.began()
        try:
            with span(Spanned.JUDGE, sample=sample, criteria=", ".join(criteria)):
                async with _at_most(self._timeout_s):
                    judgement = await ask()
        except TimeoutError:
            return without_score(criteria, f"no verdict within {self._timeout_s:g} s")
        scores = {name: score for name, score in judgement.items() if name in criteria}
        if self.losses is not None and not lost_names(scores):
            self.losses.answered_in(time.monotonic() - started)
        return scores


@asynccontextmanager
async def _at_most(seconds: float | None) -> AsyncIterator[None]:
    """End what is inside when it took so long, the wait for a place at the provider left out.

    Raises:
        TimeoutError: it did.
    """
    try:
        async with sample_time(seconds or math.inf):
            yield
    except SampleTimeError as error:
        raise TimeoutError from error


def lost_names(scores: Judgement) -> list[str]:
    """Return the criteria that got no score."""
    return [name for name, score in scores.items() if score.state is ScoreState.UNSCORED]


def without_score(criteria: Sequence[str], reason: str) -> Judgement:
    """Return criteria that a judge gave no score, with the reason."""
    return {name: unscored(name, f"judge: {reason}") for name in criteria}
