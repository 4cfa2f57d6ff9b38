"""From outputs to a final verdict: what needs no judge first, then the judge, then more runs."""

from collections.abc import Sequence
from dataclasses import replace

from ragate.models import Decision, MetricVerdict, Reads, Verdict
from ragate.pipeline.decide.compare_and_decide import Decided, compare_and_decide
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.system_session import Session, add_tries
from ragate.pipeline.score.scorer import Scorer
from ragate.support.spans import Spanned, span


def plan_confirmation(
    session: Session, *, runs: int, confirm: int, repeats: Sequence[str] = ()
) -> None:
    """Note how many passes may follow a first look at `runs`: both looks share alpha.

    It is settled before the first pass, by what the system can give and not by any score. None
    follow where the first look has them all, or where the system repeats its answers exactly.

    Args:
        repeats: What the policy declares to repeat.
    """
    possible = max(0, session.can_add(1 + confirm) - 1)
    exact = Reads.ANSWER in {*session.system.info.deterministic, *repeats}
    further = 0 if exact or runs > possible else possible
    manifest = session.collected.manifest.amended(confirm=further)
    session.collected.manifest = manifest


async def final_verdict(
    setup: GateSetup,
    scorer: Scorer,
    collected: Collected,
    *,
    judge_last: bool,
    session: Session | None = None,
) -> Decided:
    """Return a verdict that is final, or says what it lacks.

    Args:
        judge_last: Ask the judge only where the metrics that need none have not failed already.
        session: Adds passes to what is collected; None where there are no more to be had.
    """
    if judge_last and scorer.judged:
        decided = await _score_and_decide(setup, scorer, collected, judged=False)
        while is_firm(decided.decision) and await _collect_more(session, decided):
            decided = await _score_and_decide(setup, scorer, collected, judged=False)
        if is_firm(decided.decision):
            spared = ", ".join(scorer.judged)
            return decided.with_warnings(f"not judged, since it failed already: {spared}")
    decided = await _score_and_decide(setup, scorer, collected)
    while await _collect_more(session, decided):
        decided = await _score_and_decide(setup, scorer, collected)
    return decided


async def _score_and_decide(
    setup: GateSetup, scorer: Scorer, collected: Collected, *, judged: bool = True
) -> Decided:
    """Score what was collected and decide.

    Args:
        judged: False decides without the metrics that need a judge.
    """
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


async def _collect_more(session: Session | None, decided: Decided) -> bool:
    """Collect what the decision asks for; return False when there is nothing more to be had."""
    if session is None:
        return False
    samples, decision = decided.setup.samples, decided.decision
    runs = session.can_add(decision.wants_runs)
    for number in range(runs):
        session.operations.say(f"confirmation run {number + 1} of {runs}: the first is suspicious")
        await session.add_pass(samples)
    before = len(session.collected.passes)
    if not runs and decision.wants_tries:
        await add_tries(session, samples, decision.wants_tries)
    return runs > 0 or len(session.collected.passes) > before
