"""Trying the variants: in turns of a few questions, with one cache, within the caps of the policy.

All are open at once, and each few questions are put to all of them before the next are: what moves
with the hour moves all alike. One judge scores them all, so that equal answers are judged once. A
variant that is clearly worse after the first pass is asked no more; where one only looks worse, it
is asked again, and so is the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from ragate.answers.output_spool import Outputs, Spool
from ragate.answers.run_profile import RunRequest, selection_of
from ragate.answers.system_session import Session, plan_confirmation, possible_runs
from ragate.config import Config, Policy
from ragate.contrib.tryout.matrix import Variant
from ragate.contrib.tryout.verdicts import Look, look_at
from ragate.core.statistics.looks import SUSPICIOUS, confirmed_level, fast_level
from ragate.errors import BudgetError, RagateError, UsageError
from ragate.gate.gate_setup import GateSetup
from ragate.models import Run, Sample, SystemOutput
from ragate.models.progress import Progress
from ragate.resources.operations import Operations
from ragate.run.hooks import hooks_of
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
    """

    variant: Variant
    plan: RunPlan
    out: str = ""
    run: Run | None = None
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


@dataclass(frozen=True)
class Trial:
    """All variants, in the order in which they were named.

    Attributes:
        looks: What each look showed: a variant stands as in the last of them.
        baseline: They are held against the baseline, and else against the first.
        stopped: Why it ended early, "" where it did not.
        calls, cost_usd: Of all of them together, judgements included.
    """

    tried: Sequence[Tried]
    samples: Sequence[Sample]
    looks: Sequence[Look] = ()
    baseline: bool = False
    stopped: str = ""
    calls: int = 0
    cost_usd: float | None = None


@dataclass
class Trying:
    """The trial under way.

    Attributes:
        request: What part of the golden set is asked.
        baseline: Hold all against the baseline.
    """

    variants: Sequence[Variant]
    operations: Operations
    request: RunRequest
    setup: GateSetup
    baseline: bool = False
    looks: list[Look] = field(default_factory=list)

    async def trial(self) -> Trial:
        """Ask all variants, and hold each against the first.

        Raises:
            RagateError: the first cannot be started, so that there is nothing to hold them against.
        """
        if self.baseline and self.setup.baseline is None:
            raise UsageError("--against baseline: there is none", remedy="ragate baseline update")
        tried, stopped = [Tried(each, self._plan(each)) for each in self.variants], ""
        async with AsyncExitStack() as stack:
            for each in tried:
                await self._open(each, stack, must=each is tried[0])
            first = tried[0]
            scoring = first.plan.scoring(self.setup, first.opened.ready.opened)
            scorer = await stack.enter_async_context(open_scorer(scoring))
            scorer.expect_passes(len(tried) - 1)
            try:
                await self._look(tried, scorer)
                await self._look_again(tried, scorer)
            except BudgetError as error:
                stopped = error.message
            for each in tried:
                if each.session is not None:
                    note_ended(each.plan, each.session)
            return Trial(
                tried, self.setup.samples, self.looks, self.baseline, stopped, *_spent(tried)
            )

    @property
    def _config(self) -> Config:
        """The configuration of the first: its rules are those of all."""
        return self.variants[0].config

    def _plan(self, variant: Variant) -> RunPlan:
        request = replace(self.request, settings=variant.given)
        return RunPlan(
            variant.config,
            self.operations,
            SystemSource(),
            selection_of(variant.config, request, runs=1),
            command="try",
            stop=Stop.SCORED,
            setup=replace(self.setup, config=variant.config),
        )

    async def _open(self, each: Tried, stack: AsyncExitStack, *, must: bool) -> None:
        plan, setup = each.plan, each.plan.read_setup()
        async with AsyncExitStack() as own:
            try:
                hooks = await own.enter_async_context(hooks_of(plan, setup))
                ready = await own.enter_async_context(plan.source.open(plan, setup, hooks.opening))
                session = Session(ready)
                possible_runs(session, 1)
                plan_confirmation(session, runs=1)
            except BudgetError:
                raise
            except RagateError as error:
                if must:
                    raise
                self._drop(each, "it could not be started", error)
                return
            note_begun(plan, session, setup.samples)
            each.session = session
            stack.push_async_exit(own.pop_all())

    def _drop(self, each: Tried, words: str, error: RagateError) -> None:
        each.out, each.run = f"{words}: {error.message}", None
        self.operations.say(f"{each.name} is out: {words}: {error.message}")

    async def _look(self, tried: Sequence[Tried], scorer: Scorer) -> None:
        """Ask all once, and see which of them are worse."""
        await self._pass(tried, scorer)
        alpha = self._config.policy.alpha
        level = fast_level(alpha) if self._further(tried) else alpha
        self._hold(tried, level, suspicious=SUSPICIOUS)

    async def _look_again(self, tried: Sequence[Tried], scorer: Scorer) -> None:
        """Ask those that look worse more often, and the first as often; then all is final."""
        look, more = self.looks[-1], self._further(tried)
        doubtful = [each for each in tried if each.name in look.suspicious]
        if not doubtful or not more:
            return
        names = ", ".join(each.name for each in doubtful)
        self.operations.say(f"asked {more} times more, since it may be worse: {names}")
        again = doubtful if self.baseline else [tried[0], *doubtful]
        scorer.expect_passes(more * len(again))
        for _ in range(more):
            await self._pass(again, scorer)
        self._hold(tried, confirmed_level(self._config.policy.alpha), suspicious=0.0)

    @staticmethod
    def _further(tried: Sequence[Tried]) -> int:
        """Return how many more passes each of them can give."""
        left = [each.opened.collected.manifest.confirm for each in tried if not each.out]
        return min(left, default=0)

    def _hold(self, tried: Sequence[Tried], level: float, *, suspicious: float) -> None:
        first = self.setup.baseline if self.baseline else tried[0].run
        held = tried if self.baseline else tried[1:]
        others = {each.name: each.run for each in held if each.run is not None}
        if first is None or not others:
            raise RagateError(
                "nothing is left to be compared: no second variant was asked to the end",
                remedy="the lines above say why; mend that first",
            )
        look = look_at(
            self._config, self.setup.samples, first, others, level=level, suspicious=suspicious
        )
        self.looks.append(look)

    async def _pass(self, tried: Sequence[Tried], scorer: Scorer) -> None:
        """Ask every question of all that are not out, a few at a time, and score what came."""
        asked: dict[str, Outputs] = {each.name: Spool() for each in tried}
        done, total = 0, len(self.setup.samples)
        for number, block in enumerate(self._blocks()):
            turn = number % len(tried)  # none is always the first to be asked
            for each in (*tried[turn:], *tried[:turn]):
                if not each.out:
                    await self._answers(each, block, asked[each.name], scorer)
            _refuse_overspending(self._config.policy, tried)
            done += len(block)
            progress = Progress("all variants", done, total, cost_usd=_spent(tried)[1] or 0.0)
            self.operations.progress(progress)
        for each in tried:
            if not each.out:
                each.opened.collected.passes.append(asked[each.name])
                each.run = await scorer.score(each.opened.collected)

    def _blocks(self) -> Iterator[Sequence[Sample]]:
        samples, size = self.setup.samples, self.operations.concurrency
        for start in range(0, len(samples), size):
            yield [samples[at] for at in range(start, min(start + size, len(samples)))]

    async def _answers(
        self, each: Tried, block: Sequence[Sample], outputs: Outputs, scorer: Scorer
    ) -> None:
        session = each.opened

        def keep(sample: Sample, output: SystemOutput, run: int) -> None:
            session.ready.keep(sample, output, run=run)
            scorer.submit(sample, output)

        try:
            number = len(session.collected.passes)
            answers = session.ready.answers(block, number, on_output=keep, room=scorer.room)
            outputs.update(await answers)
        except BudgetError:
            raise
        except RagateError as error:
            self._drop(each, "it ended while it was asked", error)


def _spent(tried: Sequence[Tried]) -> tuple[int, float | None]:
    """Return calls and dollars of all variants together; no dollars where no price is known."""
    tallies = [each.session.ready.opened.tally for each in tried if each.session is not None]
    known = [tally.known_cost_usd for tally in tallies if tally.calls]
    cost = None if None in known else sum(filter(None, known))
    return sum(tally.calls for tally in tallies), cost


def _refuse_overspending(policy: Policy, tried: Sequence[Tried]) -> None:
    """End where all of them together have spent what the policy lets one run spend.

    Raises:
        BudgetError: they have.
    """
    calls, cost = _spent(tried)
    if calls >= policy.max_calls or (cost or 0.0) >= policy.max_cost_usd:
        spent = f"{calls} calls" if cost is None else f"{calls} calls and ${cost:.2f}"
        raise BudgetError(
            f"all variants together have spent {spent}; the policy allows {policy.max_calls} calls "
            f"and ${policy.max_cost_usd:g}",
            remedy="fewer variants, --limit, or a higher cap in ragate.toml",
        )
