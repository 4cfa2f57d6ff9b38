"""Trying the variants: in turns of a few questions, with one cache, within the caps of the policy.

All are open at once, and each few questions are put to all of them before the next are: what moves
with the hour moves all alike. One judge scores them all, so that equal answers are judged once. A
variant that is clearly worse after the first pass is asked no more; where one only looks worse, it
is asked once more, and so is the first, and a third time where it still does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass, field, replace

from ragate.answers.ready_system import ReadySystem
from ragate.answers.run_profile import RunRequest, selection_of
from ragate.answers.system_session import Session, plan_confirmation, possible_runs
from ragate.clients.budget import Tally
from ragate.config import Config
from ragate.contrib.tryout.going_on import COMMAND, TrialRuns
from ragate.contrib.tryout.matrix import Variant
from ragate.contrib.tryout.verdicts import DOUBTS, Held, Look, look_at
from ragate.errors import BudgetError, RagateError, UsageError
from ragate.gate.gate_setup import GateSetup
from ragate.models import Run, Sample
from ragate.models.progress import Progress
from ragate.resources.operations import Operations
from ragate.run.hooks import Hooks, hooks_of
from ragate.run.may_lose import count_losses
from ragate.run.note import note_begun, note_ended
from ragate.run.plan import RunPlan, Stop
from ragate.run.sources import SystemSource
from ragate.scoring.scorer import Scorer, open_scorer


@dataclass
class Tried:
    """One variant, and what came of it.

    Attributes:
        out: Why it was not asked, or not to the end; "" where it was.
        run: Its scored run, None before it has one.
        ready, hooks, session: What is open of it; None where it could not be started.
    """

    variant: Variant
    plan: RunPlan
    out: str = ""
    run: Run | None = None
    ready: ReadySystem | None = None
    hooks: Hooks | None = None
    session: Session | None = None

    @property
    def name(self) -> str:
        return self.variant.name

    @property
    def opened(self) -> Session:
        assert self.session is not None
        return self.session

    @property
    def passes(self) -> int:
        return len(self.session.collected.passes) if self.session is not None else 0

    @property
    def answers(self) -> int:
        """Return how many there are, those of a pass under way among them."""
        if self.session is None:
            return 0
        return sum(map(len, self.session.collected.passes)) + self.session.left_over

    @property
    def tally(self) -> Tally:
        """Return what it spent, before it was interrupted too; the first pays the judge."""
        return self.ready.opened.budget.tally if self.ready is not None else Tally()


@dataclass(frozen=True)
class Trial:
    """All variants, in the order in which they were named.

    Attributes:
        held: By variant, the metrics that gate, as the last look at it showed them.
        further: How many passes might have followed the first.
        baseline: They are held against the baseline, and else against the first.
        stopped: Why it ended early, "" where it did not.
        answers: How many there are, of all variants.
        calls, cost_usd: Of all of them together, judgements included.
    """

    tried: Sequence[Tried]
    samples: Sequence[Sample]
    held: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    further: int = 0
    baseline: bool = False
    stopped: str = ""
    answers: int = 0
    calls: int = 0
    cost_usd: float | None = None


@dataclass
class Trying:
    """The trial under way.

    Attributes:
        stands: The configuration as ragate.toml has it.
        request: What part of the golden set is asked.
        runs: Those that go on, where it was interrupted.
        baseline: Hold all against the baseline.
        further: How many passes may follow the first.
    """

    stands: Config
    variants: Sequence[Variant]
    operations: Operations
    request: RunRequest
    setup: GateSetup
    runs: TrialRuns
    baseline: bool = False
    held: dict[str, tuple[Held, ...]] = field(default_factory=dict)
    further: int = 0

    async def trial(self) -> Trial:
        """Ask all variants, and hold each against the first.

        Raises:
            RagateError: the first cannot be started, so that there is nothing to hold them against.
        """
        if self.baseline and self.setup.baseline is None:
            raise UsageError("--against baseline: there is none", remedy="ragate baseline update")
        plans = self.runs.resumed([self._plan(each) for each in self.variants], self.setup.samples)
        tried = [Tried(each, plan) for each, plan in zip(self.variants, plans, strict=True)]
        stopped = ""
        async with self._dropping_indexes() as ended, AsyncExitStack() as stack:
            for each in tried:
                await self._open(each, stack, must=each is tried[0])
            scorer = await stack.enter_async_context(self._scorer(tried[0]))
            for each in tried:
                await self._begin(each, scorer, must=each is tried[0])
            self._refuse_alone(tried)
            scorer.expect_passes(sum(each.session is not None for each in tried) - 1)
            try:
                await self._ask(tried, scorer)
            except BudgetError as error:
                stopped = f"all variants together: {error.message}"
            else:
                ended += [each.variant.config for each in tried if each.session is not None]
            for each in tried:
                await self._end(each, stopped=bool(stopped))
            return self._ended(tried, stopped)

    def _ended(self, tried: Sequence[Tried], stopped: str) -> Trial:
        calls, cost_usd = _spent(tried)
        return Trial(
            tried,
            self.setup.samples,
            held=self.held,
            further=self.further,
            baseline=self.baseline,
            stopped=stopped,
            answers=sum(each.answers for each in tried),
            calls=calls,
            cost_usd=cost_usd,
        )

    @property
    def _config(self) -> Config:
        """The configuration of the first: its rules are those of all."""
        return self.variants[0].config

    def _dropping_indexes(self) -> AbstractAsyncContextManager[list[Config]]:
        if not any(each.config.system.use == "pgvector" for each in self.variants):
            return nullcontext([])
        from ragate.contrib.tryout.indexes import dropping_indexes

        return dropping_indexes(self.stands, self.operations, goes_on=self.runs.goes_on)

    def _plan(self, variant: Variant) -> RunPlan:
        request = replace(self.request, settings=variant.given)
        return RunPlan(
            variant.config,
            self.runs.noted(self.operations),
            SystemSource(),
            selection_of(variant.config, request, runs=1),
            command=COMMAND,
            stop=Stop.SCORED,
            setup=replace(self.setup, config=variant.config),
        )

    # Opening and closing them.

    async def _open(self, each: Tried, stack: AsyncExitStack, *, must: bool) -> None:
        plan, setup = each.plan, each.plan.read_setup()
        async with AsyncExitStack() as own:
            try:
                hooks = await own.enter_async_context(hooks_of(plan, setup))
                ready = await own.enter_async_context(plan.source.open(plan, setup, hooks.opening))
            except BudgetError:
                raise
            except RagateError as error:
                if must or (plan.interrupted is not None and isinstance(error, UsageError)):
                    raise
                self._drop(each, "it could not be started", error)
                return
            each.hooks, each.ready = hooks, ready
            stack.push_async_exit(own.pop_all())

    def _scorer(self, first: Tried) -> AbstractAsyncContextManager[Scorer]:
        assert first.ready is not None  # without the first there is no trial
        return open_scorer(first.plan.scoring(self.setup, first.ready.opened))

    async def _begin(self, each: Tried, scorer: Scorer, *, must: bool) -> None:
        if each.ready is None or each.hooks is None:
            return
        session = Session(each.ready, listen=scorer.submit, room=scorer.room)
        try:
            possible_runs(session, 1)
        except UsageError as error:
            if must:
                raise
            self._drop(each, "it could not be started", error)
            return
        plan_confirmation(session, runs=1)
        await each.hooks.opened(session, scorer)
        if each.plan.interrupted is None:
            note_begun(each.plan, session, self.setup.samples)
        count_losses(each.plan, self.setup, session)
        each.session = session

    async def _end(self, each: Tried, *, stopped: bool) -> None:
        """Note that its run came to its end; one that a cap stopped may go on."""
        if each.session is None or each.hooks is None:
            return
        await each.hooks.asked(each.session)
        if not stopped:
            note_ended(each.plan, each.session)

    def _drop(self, each: Tried, words: str, error: RagateError) -> None:
        each.out, each.run = f"{words}: {error.message}", None
        self.operations.say(f"{each.name} is out: {words}: {error.message}")

    # Asking them.

    async def _ask(self, tried: Sequence[Tried], scorer: Scorer) -> None:
        """Ask all once; then those that look worse again, and the first as often."""
        await self._pass(tried, scorer)
        self.further = _further(tried)
        look = self._look(tried, 0)
        self.held.update(look.held)
        doubted = {each.name for each in tried}
        for number, limit in enumerate(DOUBTS[: self.further], 1):
            doubted &= look.doubtful(limit, alpha=self._config.policy.alpha)
            if not doubted:
                return
            await self._pass_again(tried, doubted, scorer)
            look = self._look(tried, number)
            self.held.update({name: held for name, held in look.held.items() if name in doubted})

    async def _pass_again(
        self, tried: Sequence[Tried], doubted: Collection[str], scorer: Scorer
    ) -> None:
        again = [each for each in tried if each.name in doubted and not each.out]
        names = ", ".join(each.name for each in again)
        self.operations.say(f"asked once more, since it may be worse: {names}")
        again = again if self.baseline else [tried[0], *again]
        scorer.expect_passes(len(again))
        for each in again:
            if each.opened.losses is not None:
                each.opened.losses.passes += 1
        await self._pass(again, scorer)

    def _look(self, tried: Sequence[Tried], number: int) -> Look:
        first = self.setup.baseline if self.baseline else tried[0].run
        held = tried if self.baseline else tried[1:]
        others = {each.name: each.run for each in held if each.run is not None}
        assert first is not None  # the trial ends with it
        return look_at(
            self._config, self.setup.samples, first, others, number=number, further=self.further
        )

    def _refuse_alone(self, tried: Sequence[Tried]) -> None:
        """End before more is asked of a single variant, which would be compared with nothing.

        Raises:
            RagateError: no other is left.
        """
        left = [each for each in tried if not each.out]
        if len(left) < (1 if self.baseline else 2):
            raise RagateError(
                "nothing is left to be compared: every other variant is out",
                remedy="the lines above say why; mend that first",
            )

    async def _pass(self, tried: Sequence[Tried], scorer: Scorer) -> None:
        """Ask every question of all that are not out, a few at a time, and score what came."""
        done, total = 0, len(self.setup.samples)
        for each in tried:
            if each.session is not None and each.session.losses is not None:
                each.session.losses.began()
        for number, block in enumerate(self._blocks()):
            turn = number % len(tried)  # none is always the first to be asked
            for each in (*tried[turn:], *tried[:turn]):
                await self._answers(each, block, tried)
            if not self.held:
                self._refuse_alone(tried)
            done += len(block)
            progress = Progress("all variants", done, total, cost_usd=_spent(tried)[1] or 0.0)
            self.operations.progress(progress)
        for each in tried:
            if not each.out:
                await each.opened.add_pass(self.setup.samples)
                each.run = await scorer.score(each.opened.collected)

    def _blocks(self) -> Iterator[Sequence[Sample]]:
        samples, size = self.setup.samples, self.operations.concurrency
        for start in range(0, len(samples), size):
            yield [samples[at] for at in range(start, min(start + size, len(samples)))]

    async def _answers(self, each: Tried, block: Sequence[Sample], tried: Sequence[Tried]) -> None:
        if each.out:
            return
        _share_spending(tried)
        try:
            await each.opened.ask_ahead(block)
        except BudgetError:
            raise
        except RagateError as error:
            if each is tried[0] and not self.baseline:  # the others are held against it
                raise
            self._drop(each, "it ended while it was asked", error)


def _further(tried: Sequence[Tried]) -> int:
    """Return how many more passes each of them can give."""
    left = [each.opened.collected.manifest.confirm for each in tried if not each.out]
    return min(left, default=0)


def _share_spending(tried: Sequence[Tried]) -> None:
    """Let the caps of each see what all of them have spent."""
    total = sum((each.tally for each in tried), Tally())
    for each in tried:
        if each.ready is not None:
            each.ready.opened.budget.others = total - each.tally


def _spent(tried: Sequence[Tried]) -> tuple[int, float | None]:
    """Return calls and dollars of all variants together; no dollars where no price is known."""
    tallies = [each.tally for each in tried if each.tally.calls]
    known = [tally.known_cost_usd for tally in tallies]
    cost = None if None in known else sum(filter(None, known))
    return sum(tally.calls for tally in tallies), cost
