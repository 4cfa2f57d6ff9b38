"""The run: every command builds a plan and comes here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ragate.answers.collected_outputs import Collected
from ragate.answers.earlier_passes import adopt_earlier
from ragate.answers.milestones import time_words
from ragate.answers.ready_system import ReadySystem
from ragate.answers.system_session import (
    MOST_AGAIN,
    Session,
    add_tries,
    ask_again,
    plan_confirmation,
    possible_runs,
    say_if_all_failed,
)
from ragate.core.statistics.looks import FLIPS_TRIES, TRIES
from ragate.errors import HopelessError, RagateError
from ragate.gate.gate_setup import GateSetup, load_samples
from ragate.models import Decision, MetricRow, MetricVerdict, Sample, Verdict
from ragate.run.hooks import hooks_of
from ragate.run.late_parts import expect_late_parts
from ragate.run.may_lose import count_losses
from ragate.run.note import note_begun
from ragate.run.plan import RunPlan, RunResult, Stop
from ragate.scoring.scorer import Scorer, no_scorer, open_scorer
from ragate.spans import Spanned, span

if TYPE_CHECKING:
    from ragate.gate.compare_and_decide import Decided


async def run_gate(plan: RunPlan) -> RunResult:
    """Ask, score, compare and decide, as often as the decision wants; then report.

    `plan.source` says where outputs come from, `plan.stop` after which step it ends. Judging runs
    beside asking.

    Raises:
        RagateError: nothing could be run, or not to the end; finished outputs are kept.
    """
    started = time.monotonic()
    with span(Spanned.RUN, command=plan.command):
        setup = plan.read_setup()
        url = plan.operations.runs_url
        expect_late_parts(plan.config.policy, recording=plan.recording is not None, runs_url=url)
        async with hooks_of(plan, setup) as hooks:  # none configured: none made, nothing imported
            async with (
                plan.source.open(plan, setup, hooks.opening) as ready,
                _scorer(plan, setup, ready) as scorer,
            ):
                session = Session(ready, listen=scorer.submit, room=scorer.room)
                await hooks.opened(session, scorer)
                await ask_first_look(plan, setup, session, scorer)
                if plan.stop is Stop.ASKED:
                    await hooks.asked(session)
                    return RunResult(setup, session)
                if plan.stop is Stop.SCORED:  # never compared, never pooled
                    candidate = await scorer.score(session.collected)
                    await hooks.asked(session)
                    return RunResult(setup, session, candidate, scorer=scorer)
                await asyncio.to_thread(_import_decision)
                decided = hooks.decided(await final_verdict(setup, scorer, session))
                decided = replace(decided, tally=ready.opened.tally)
                await hooks.asked(session)
            from ragate.gate.gate_report import stored_report

            report = stored_report(plan.operations, decided, started=started)
            hooks.reported(decided.candidate, report)
            return RunResult(setup, session, decided.candidate, report, scorer)


def _import_decision() -> None:
    """Import half of all that a run needs, while the judge's first replies are waited for."""
    import ragate.gate.gate_report  # noqa: F401


async def ask_first_look(plan: RunPlan, setup: GateSetup, session: Session, scorer: Scorer) -> None:
    """Collect the passes of the first look, and what is asked again before any verdict.

    Files hold what they hold, and are asked for nothing.
    """
    samples = setup.samples
    if plan.stop is Stop.DECIDED:
        plan_confirmation(session, runs=plan.selection.runs, baseline=setup.baseline)
    if not session.asks:
        return
    if plan.recording is None and plan.interrupted is None:
        if plan.stop is Stop.DECIDED:
            adopt_earlier(session, samples, plan.config, plan.selection)
        note_begun(plan, session, samples)
    count_losses(plan, setup, session)
    if await scorer.expect_answers():
        await session.ask_ahead(islice(samples, 1))
    if not await _ask_passes(plan, session, samples):
        return
    say_if_all_failed(session)
    session.full = len(session.collected.passes)
    if plan.stop is Stop.ASKED:  # `decide` cannot ask: what it would ask again is asked now
        await _prove_changes(plan, setup, session)
        await _add_every_try(setup, session)


async def _prove_changes(plan: RunPlan, setup: GateSetup, session: Session) -> None:
    """Ask outputs with another score again, by metrics without a judge, until they are proven.

    Whether the loss by them is red is not asked: a shard knows its own alone.
    """
    if not session.own_sessions or setup.baseline is None:
        return
    from ragate.gate.compare_and_decide import samples_to_prove

    scoring = replace(plan.scoring(setup, session.ready.opened), unjudged="nothing is judged here")
    whole = replace(setup, samples=load_samples(plan.config, plan.selection.filters))
    async with AsyncExitStack() as stack:
        try:
            scorer = await stack.enter_async_context(open_scorer(scoring))
        except RagateError as error:  # such as a metric's plugin, which only `decide` has
            session.operations.say(f"what changed is not asked again: {error}")
            return
        while session.again < MOST_AGAIN:
            candidate = await scorer.score(session.collected, judged=False)
            wanted = frozenset(samples_to_prove(whole, candidate))
            if not wanted:
                return
            session.again += 1
            await ask_again(session, [each for each in setup.samples if each.id in wanted])


async def _add_every_try(setup: GateSetup, session: Session) -> None:
    """Try what must pass as often as `check` may: most often what flips by itself."""
    from ragate.gate.question_record import flipping_questions

    await add_tries(session, setup.samples, TRIES - session.full)
    flipping = flipping_questions(setup)
    more = FLIPS_TRIES - max(TRIES, session.full)
    await add_tries(session, [each for each in setup.samples if each.id in flipping], more)


async def _ask_passes(plan: RunPlan, session: Session, samples: Sequence[Sample]) -> bool:
    """Return whether all passes were made; what there is goes to whoever judges it.

    Raises:
        HopelessError: too much was lost, and nobody else judges it.
    """
    try:
        for number in range(possible_runs(session, plan.selection.runs)):
            if number and (plan.recording is not None or session.own_sessions):
                await session.renew()
            await session.add_pass(samples)
    except HopelessError as error:
        if plan.stop is not Stop.ASKED:
            raise
        session.operations.say(str(error))
        return False
    return True


def _scorer(
    plan: RunPlan, setup: GateSetup, ready: ReadySystem
) -> AbstractAsyncContextManager[Scorer]:
    """Return the policy's metrics and judge; none of them where outputs are collected only."""
    scoring = plan.scoring(setup, ready.opened)
    return nullcontext(no_scorer(scoring)) if plan.stop is Stop.ASKED else open_scorer(scoring)


async def final_verdict(setup: GateSetup, scorer: Scorer, session: Session) -> Decided:
    """Score and decide until the decision asks for nothing that can be had.

    The judge is asked last, where the plan says so: not at all where it failed already by metrics
    that need none.
    """
    if scorer.plan.judge_last and scorer.judged:
        unjudged = await _decide_until_settled(setup, scorer, session, judged=False)
        if is_firm(unjudged.decision):
            spared = ", ".join(scorer.judged)
            return unjudged.with_warnings(f"not judged, since it failed already: {spared}")
    return await _decide_until_settled(setup, scorer, session, judged=True)


async def _decide_until_settled(
    setup: GateSetup, scorer: Scorer, session: Session, *, judged: bool
) -> Decided:
    """Decide, and collect what the decision asks for, until that is nothing more.

    Args:
        judged: False decides without the metrics that need a judge: only of a verdict that none of
            them could take back is more collected.
    """
    decided = await _score_and_decide(setup, scorer, session.collected, judged=judged)
    while (judged or is_firm(decided.decision)) and await _more(session, scorer, decided):
        decided = await _score_and_decide(setup, scorer, session.collected, judged=judged)
    return decided


async def _score_and_decide(
    setup: GateSetup, scorer: Scorer, collected: Collected, *, judged: bool
) -> Decided:
    """Score what was collected and decide.

    Args:
        judged: False decides without the metrics that need a judge.
    """
    from ragate.gate.compare_and_decide import compare_and_decide

    candidate = await scorer.score(collected, judged=judged)
    with span(Spanned.DECIDE):
        decided = compare_and_decide(setup, candidate).with_notes(scorer)
    return replace(decided, texts=collected.whole)


def is_firm(decision: Decision) -> bool:
    """Return True where it failed by something that no judgement could take back."""
    if decision.verdict is not Verdict.FAILED:
        return False
    return any(map(_is_firm_loss, decision.rows)) or any(row.is_red for row in decision.must_pass)


def _is_firm_loss(row: MetricRow) -> bool:
    """Return whether a metric blocks without a test: by an exact rule, or by its floor."""
    is_exact_loss = row.exact and row.verdict is MetricVerdict.REGRESSED
    misses_floor = row.floor is not None and not row.floor.met
    return row.blocks and (is_exact_loss or misses_floor)


async def _more(session: Session, scorer: Scorer, decided: Decided) -> bool:
    """Collect what the decision asks for; return False when there is nothing more to be had."""
    samples, decision = decided.setup.samples, decided.decision
    runs = session.can_add(decision.wants_runs)
    if runs:
        await _confirm(session, scorer, samples, runs)
        return True

    passes = len(session.collected.passes)
    if decision.wants_tries:
        await add_tries(session, samples, decision.wants_tries)
    changed = frozenset(decision.wants_again)
    if changed and session.own_sessions and session.again < MOST_AGAIN:
        session.again += 1
        await ask_again(session, [sample for sample in samples if sample.id in changed])
    return len(session.collected.passes) > passes


async def _confirm(session: Session, scorer: Scorer, samples: Sequence[Sample], runs: int) -> None:
    """Make so many more passes, since the first is suspicious."""
    if session.losses is not None:
        session.losses.passes += runs
    scorer.expect_passes(runs)
    for number in range(runs):
        took = f"; the one before took {time_words(session.pass_s)}" if session.pass_s > 1.0 else ""
        session.operations.say(
            f"confirmation run {number + 1} of {runs}: the first is suspicious{took}"
        )
        await session.add_pass(samples)
