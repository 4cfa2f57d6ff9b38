"""From outputs to a final verdict: what needs no judge first, then the judge, then more runs."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.models import Decision, MetricVerdict, Reads, Run, Sample, Verdict
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.system_session import Session, add_tries
from ragate.pipeline.score.scorer import Scorer


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
    manifest = session.collected.manifest.model_copy(update={"confirm": further})
    session.collected.manifest = manifest


async def decide_session(
    case: GateSetup, scorer: Scorer, session: Session, *, judge_last: bool
) -> tuple[Run, Decided]:
    """Return a verdict that is final, or says what it lacks."""
    if judge_last and scorer.judged:
        candidate, judged = await case.decide(scorer, session.collected, asked=False)
        while is_firm(judged.decision) and await _more(session, case.samples, judged):
            candidate, judged = await case.decide(scorer, session.collected, asked=False)
        if is_firm(judged.decision):
            return candidate, judged.with_note(_left_out(scorer))
    candidate, judged = await case.decide(scorer, session.collected)
    while await _more(session, case.samples, judged):
        candidate, judged = await case.decide(scorer, session.collected)
    return candidate, judged


async def decide_files(
    case: GateSetup, scorer: Scorer, collected: Collected, *, judge_last: bool
) -> tuple[Run, Decided]:
    """Return the verdict that stored outputs give: there are no more runs to be had."""
    if judge_last and scorer.judged:
        candidate, judged = await case.decide(scorer, collected, asked=False)
        if is_firm(judged.decision):
            return candidate, judged.with_note(_left_out(scorer))
    return await case.decide(scorer, collected)


def is_firm(decision: Decision) -> bool:
    """Return True where it failed by something that no judge's verdict could take back."""
    lost = any(
        row.blocks
        and (
            (row.exact and row.verdict is MetricVerdict.REGRESSED)
            or (row.floor is not None and not row.floor.met)
        )
        for row in decision.metrics
    )
    missed = any(row.is_red for row in decision.must_pass)
    return decision.verdict is Verdict.FAILED and (lost or missed)


def _left_out(scorer: Scorer) -> str:
    return f"not judged, since it failed already: {', '.join(scorer.judged)}"


async def _more(session: Session, samples: Sequence[Sample], judged: Decided) -> bool:
    """Collect what the decision asks for; return False when there is nothing more to be had."""
    decision = judged.decision
    runs = session.can_add(decision.wants_runs)
    for number in range(runs):
        session.operations.say(f"confirmation run {number + 1} of {runs}: the first is suspicious")
        await session.add_pass(samples)
    before = len(session.collected.passes)
    if not runs and decision.wants_tries:
        await add_tries(session, samples, decision.wants_tries)
    return runs > 0 or len(session.collected.passes) > before
