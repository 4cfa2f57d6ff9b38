"""The run: every command builds a plan and comes here."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from ragate.models import Decision, MetricVerdict, Proposed, Verdict
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.earlier_passes import adopt_earlier
from ragate.pipeline.run.ready_system import ReadySystem
from ragate.pipeline.run.system_session import (
    Session,
    add_tries,
    ask_changed_again,
    plan_confirmation,
    possible_runs,
    say_if_all_failed,
)
from ragate.pipeline.score.scorer import Scorer, no_scorer, open_scorer
from ragate.run.hooks import hooks_of
from ragate.run.note import note_begun
from ragate.run.plan import RunPlan, RunResult, Stop
from ragate.support.spans import Spanned, span

if TYPE_CHECKING:
    from ragate.pipeline.decide.compare_and_decide import Decided


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
                proposed = await _proposed_verdict(plan, setup, scorer, session)
                decided = replace(decided, tally=ready.opened.tally)
                await hooks.asked(session)
            from ragate.pipeline.decide.gate_report import stored_report

            report = stored_report(plan.operations, decided, started=started, proposed=proposed)
            hooks.reported(decided.candidate, report)
            return RunResult(setup, session, decided.candidate, report, scorer)


def _import_decision() -> None:
    """Import half of all that a run needs, while the judge's first replies are waited for."""
    import ragate.pipeline.decide.gate_report  # noqa: F401


async def ask_first_look(plan: RunPlan, setup: GateSetup, session: Session, scorer: Scorer) -> None:
    """Collect the passes of the first look, and what is asked again before any verdict.

    Files hold what they hold, and are asked for nothing.
    """
    samples = setup.samples
    if plan.stop is Stop.DECIDED:
        policy = plan.config.policy
        plan_confirmation(
            session,
            runs=plan.selection.runs,
            confirm=policy.confirm,
            repeats=policy.repeats,
            baseline=setup.baseline,
        )
    if not session.asks:
        return
    if plan.recording is None and plan.interrupted is None:
        if plan.stop is Stop.DECIDED:
            adopt_earlier(session, samples, plan.config, plan.selection)
        note_begun(plan, session, samples)
    if await scorer.expect_answers():
        await session.ask_ahead(samples)
    for number in range(possible_runs(session, plan.selection.runs)):
        if number and (plan.recording is not None or session.own_sessions):
            await session.renew()
        await session.add_pass(samples)
    say_if_all_failed(session)
    session.full = len(session.collected.passes)
    if plan.stop is not Stop.SCORED:
        await ask_changed_again(session, samples, setup.baseline, plan.config.policy.repeats)
        session.again = len(session.collected.passes) - session.full
    if plan.stop is Stop.ASKED:  # `decide` cannot ask: must-pass samples have their tries now
        await add_tries(session, samples, plan.config.policy.tries - session.full)
        await session.ask_also(plan.also)


def _scorer(
    plan: RunPlan, setup: GateSetup, ready: ReadySystem
) -> AbstractAsyncContextManager[Scorer]:
    """Return the policy's metrics and judge; none of them where outputs are collected only."""
    scoring = plan.scoring(setup, ready.opened)
    return nullcontext(no_scorer(scoring)) if plan.stop is Stop.ASKED else open_scorer(scoring)


async def _proposed_verdict(
    plan: RunPlan, setup: GateSetup, scorer: Scorer, session: Session
) -> Proposed | None:
    """Return the verdict by the change's own rules, which has its own time: the gate's stands."""
    if plan.proposal is None:
        return None
    from ragate.pipeline.decide.head_policy_verdict import propose

    session.ready.end_limit()
    minutes = plan.config.policy.max_minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await propose(
                plan.proposal,
                setup,
                scorer.plan,
                session.collected,
                ask=session.ready.answers,
                most_judged=plan.source.most_judged,
            )
    except TimeoutError:
        note = f"not done within {minutes:g} minutes"
        return Proposed(differs=plan.proposal.differs, note=note)


async def final_verdict(setup: GateSetup, scorer: Scorer, session: Session) -> Decided:
    """Score and decide until the decision asks for nothing that can be had.

    The judge is asked last, where the plan says so: not at all where it failed already by metrics
    that need none.
    """
    last = scorer.plan.judge_last and scorer.judged
    for judged in (False, True) if last else (True,):
        decided = await _score_and_decide(setup, scorer, session.collected, judged=judged)
        while (judged or is_firm(decided.decision)) and await _collect_more(session, decided):
            decided = await _score_and_decide(setup, scorer, session.collected, judged=judged)
        if not judged and is_firm(decided.decision):
            spared = ", ".join(scorer.judged)
            return decided.with_warnings(f"not judged, since it failed already: {spared}")
    return decided


async def _score_and_decide(
    setup: GateSetup, scorer: Scorer, collected: Collected, *, judged: bool
) -> Decided:
    """Score what was collected and decide.

    Args:
        judged: False decides without the metrics that need a judge.
    """
    from ragate.pipeline.decide.compare_and_decide import compare_and_decide

    candidate = await scorer.score(collected, judged=judged)
    with span(Spanned.DECIDE):
        decided = compare_and_decide(setup, candidate).with_notes(scorer)
    return replace(decided, texts=collected.whole)


def is_firm(decision: Decision) -> bool:
    """Return True where it failed by something that no judgement could take back."""
    lost = any(
        row.blocks
        and (
            (row.exact and row.verdict is MetricVerdict.REGRESSED)
            or (row.floor is not None and not row.floor.met)
        )
        for row in decision.rows
    )
    missed = any(row.is_red for row in decision.must_pass)
    return decision.verdict is Verdict.FAILED and (lost or missed)


async def _collect_more(session: Session, decided: Decided) -> bool:
    """Collect what the decision asks for; return False when there is nothing more to be had."""
    samples, decision = decided.setup.samples, decided.decision
    runs = session.can_add(decision.wants_runs)
    for number in range(runs):
        session.operations.say(f"confirmation run {number + 1} of {runs}: the first is suspicious")
        await session.add_pass(samples)
    before = len(session.collected.passes)
    if not runs and decision.wants_tries:
        await add_tries(session, samples, decision.wants_tries)
    return runs > 0 or len(session.collected.passes) > before
