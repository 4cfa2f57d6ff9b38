"""The line: `check`, and its two halves `collect` and `decide`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Proposed, Report, Run, Sample
from ragate.pipeline.decide.final_verdict import decide_files, decide_session, plan_confirmation
from ragate.pipeline.decide.gate_setup import (
    GateSetup,
    load_baseline_or_none,
    load_samples,
    open_case,
)
from ragate.pipeline.decide.head_policy_verdict import Ask, Proposal, propose
from ragate.pipeline.decide.untrusted_claims import distrust
from ragate.pipeline.run.ask_again import ask_changed_again
from ragate.pipeline.run.collect_pass import Outputs
from ragate.pipeline.run.collected_outputs import Collected, read_collected, save_collected
from ragate.pipeline.run.earlier_passes import adopt_earlier, evidence_key
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.system_session import (
    MUST_PASS_TRIES,
    Selection,
    Session,
    add_tries,
    open_session,
    possible_runs,
)
from ragate.runtime.resources import Operations, open_resources
from ragate.stores.local import new_run_id
from ragate.support.atomic_files import copy_atomic

# A stranger's questions are judged with our key: so many of them, for a verdict that is only shown.
MOST_JUDGED = 200


async def collect(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    outputs: Path,
    also: Sequence[Sample] = (),
) -> Collected:
    """Run the system `selection.runs` times and write its outputs; nothing is judged.

    Must-pass samples get three tries, so that `decide` has them.

    Args:
        also: Samples that another golden set has, or words otherwise; they are in the file only.
    """
    samples = load_samples(config, selection)
    baseline = load_baseline_or_none(config)
    async with open_session(config, operations, samples, selection, baseline=baseline) as session:
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        full = len(session.collected.passes)
        await ask_changed_again(session, samples, baseline, config.policy.repeats)
        await add_tries(session, samples, MUST_PASS_TRIES - full)
        for run in range(full if also else 0):
            found = await session.ask(also, run)
            for sample in also:
                session.writer.append(sample, found[sample.id], run=run)
    # The file appears when it is whole: an older one stays until then, and two commands at once
    # cannot write into each other's.
    copy_atomic(session.writer.path, outputs)
    return session.collected


async def check(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
    proposal: Proposal | None = None,
    judge_last: bool = False,
) -> Report:
    """Run the system, judge it against the baseline, and run it again where that is needed.

    Judging starts as outputs arrive.

    Args:
        proposal: The change's own rules, where they differ: their verdict is computed as well.
        judge_last: Ask the judge only where the metrics that need none have not failed already.
    """
    started = time.monotonic()
    case = open_case(config, operations, selection, control=control)
    async with (
        open_session(
            config, operations, case.samples, selection, baseline=case.baseline
        ) as session,
        case.scorer(session.opened, retrieval_only=selection.retrieval_only) as scorer,
    ):
        own = (operations.state, *operations.own_files)
        info = session.system.info
        session.name_state(evidence_key(config, case.samples, info, selection, own=own))
        session.listen = (lambda *_: None) if judge_last else scorer.submit
        session.room = scorer.room
        confirm = config.policy.decision.confirm
        repeats = config.policy.repeats
        plan_confirmation(session, runs=selection.runs, confirm=confirm, repeats=repeats)
        earlier = adopt_earlier(session, case.samples)
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(case.samples)
        await ask_changed_again(session, case.samples, case.baseline, repeats, earlier=earlier)
        candidate, judged = await decide_session(case, scorer, session, judge_last=judge_last)
        proposed = await _proposed(proposal, case, session, selection)
        judged = replace(judged, tally=session.opened.tally)
    if save_outputs is not None:
        save_collected(save_outputs, session.collected, case.samples)
    return case.finish(candidate, judged, started=started, proposed=proposed)


async def _proposed(
    proposal: Proposal | None, case: GateSetup, session: Session, selection: Selection
) -> Proposed | None:
    if proposal is None:
        return None
    session.end_limit()
    opened, collected = session.opened, session.collected
    minutes = case.config.policy.max_minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await propose(proposal, case, opened, collected, selection, ask=session.ask)
    except TimeoutError:
        return Proposed(differs=proposal.differs, note=f"not done within {minutes:g} minutes")


async def decide_outputs(
    config: Config,
    operations: Operations,
    selection: Selection,
    paths: Sequence[Path],
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
    proposal: Proposal | None = None,
    judge_last: bool = False,
    foreign: bool = False,
) -> Report:
    """Judge stored outputs against the baseline; runs nothing of the system.

    `proposal` and `judge_last` are as in `check`.

    Args:
        foreign: The outputs come from a job that is not trusted.
    """
    started = time.monotonic()
    case = open_case(config, operations, selection, control=control)
    collected = read_collected(
        paths, case.samples, top_k=selection.top_k, retrieval_only=selection.retrieval_only
    )
    refuse_other_system(config, collected)
    hint_at_filters(operations, collected, selection)
    if foreign:
        collected = distrust(collected, case.baseline)
    collected.manifest = collected.manifest.model_copy(
        update={
            "run_id": new_run_id(),
            "commit": operations.commit or collected.manifest.commit,
            "filters": selection.filters,
            "retrieval_only": selection.retrieval_only,
            "earlier": () if foreign else collected.manifest.earlier,
            "confirm": 0,  # files hold what they hold: one look
        }
    )
    if save_outputs is not None:
        save_collected(save_outputs, collected, case.samples)
    bare = selection.retrieval_only
    async with (
        open_resources(config, operations) as opened,
        case.scorer(opened, retrieval_only=bare) as scorer,
    ):
        candidate, judged = await decide_files(case, scorer, collected, judge_last=judge_last)
        proposed = None
        if proposal is not None:
            ask = _from_files(proposal, paths, selection)
            most = MOST_JUDGED if foreign else None
            proposed = await propose(
                proposal, case, opened, collected, selection, ask=ask, most_judged=most
            )
            judged = replace(judged, tally=opened.tally)
    return case.finish(candidate, judged, started=started, proposed=proposed)


def _from_files(proposal: Proposal, paths: Sequence[Path], selection: Selection) -> Ask:
    """Return what gives the outputs of proposed samples: the same files, read for them."""
    passes: list[Outputs] = []

    async def ask(samples: Sequence[Sample], run: int) -> Outputs:
        if not passes:
            wanted = load_samples(proposal.config, selection)
            found = read_collected(
                paths, wanted, top_k=selection.top_k, retrieval_only=selection.retrieval_only
            )
            passes.extend(found.passes)
        held = passes[run] if run < len(passes) else {}
        return {sample.id: held[sample.id] for sample in samples if sample.id in held}

    return ask


async def score_outputs(config: Config, operations: Operations, path: Path) -> Run:
    """Return the scored run of one outputs file, over the whole golden set."""
    case = open_case(config, operations, Selection())
    collected = read_collected([path], case.samples)
    refuse_other_system(config, collected)
    async with (
        open_resources(config, operations) as opened,
        case.scorer(opened, retrieval_only=False) as scorer,
    ):
        return await scorer.score(collected)


def refuse_other_system(config: Config, collected: Collected) -> None:
    """Raise where the outputs come from a kind of system that the policy does not name."""
    use = collected.manifest.system.use
    if use not in config.policy.systems:
        raise UsageError(
            f"the outputs come from a {use!r} system; [policy] systems = "
            f"{list(config.policy.systems)}",
            remedy=f"collect them from one of these, or add {use!r} to the policy first",
        )


def hint_at_filters(operations: Operations, collected: Collected, selection: Selection) -> None:
    """Say where the outputs are fewer on purpose: what a file says of itself decides nothing."""
    then = collected.manifest
    if then.filters != selection.filters or then.retrieval_only != selection.retrieval_only:
        operations.say(
            "the outputs were collected with other filters (--ids, --tags, --where, --limit, "
            "--skip, --profile, --retrieval-only): give `decide` the same, or what is not there "
            "counts as unmeasured"
        )
    if then.eval_date and then.eval_date != date_of(selection.eval_date):
        operations.say(
            f"the outputs were collected as of {then.eval_date}: `decide --eval-date "
            f"{then.eval_date}` lets a judge read the questions so"
        )
