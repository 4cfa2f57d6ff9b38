"""The line: `collect` runs the system, and `check` judges it as well."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragate.config import Config
from ragate.models import Proposed, Report, Run, Sample
from ragate.pipeline.decide.final_verdict import final_verdict
from ragate.pipeline.decide.gate_report import stored_report
from ragate.pipeline.decide.gate_setup import (
    GateSetup,
    load_baseline_or_none,
    load_samples,
    read_gate_setup,
)
from ragate.pipeline.decide.head_policy_verdict import Proposal, propose
from ragate.pipeline.resume.begin_session import begin_session, with_resumed
from ragate.pipeline.resume.run_start import start_run
from ragate.pipeline.run.ask_again import ask_changed_again
from ragate.pipeline.run.collected_outputs import Collected, save_collected
from ragate.pipeline.run.opened_system import OpensSystem, open_here
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.run.system_session import (
    MUST_PASS_TRIES,
    Session,
    add_tries,
    possible_runs,
    say_if_all_failed,
)
from ragate.pipeline.score.open_scorer import open_scorer
from ragate.pipeline.score.scorer import ScoringPlan
from ragate.pipeline.shards.shard import Shard
from ragate.runtime.operations import Operations
from ragate.support.atomic_files import copy_atomic
from ragate.support.spans import Spanned, spanned


async def collect(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    outputs: Path,
    also: Sequence[Sample] = (),
    shard: Shard | None = None,
    resume: str = "",
) -> Collected:
    """Run the system `selection.runs` times and write its outputs; nothing is judged.

    Must-pass samples get three tries, so that `decide` has them.

    Args:
        also: Samples that another golden set has, or words otherwise; they are in the file only.
        shard: Ask its samples alone; the file says which it is.
        resume: As in `check`.
    """
    start = start_run(config, operations, selection, command="collect", resume=resume)
    selection = start.selection
    samples = load_samples(config, selection.filters)
    if shard is not None:
        samples = shard.own(samples)
    baseline = load_baseline_or_none(config)
    async with start.open_system(samples, baseline, judged=False) as ready:
        session = Session(ready)
        start.take_up(session, samples)
        start.note(session, samples)
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        say_if_all_failed(session)
        full = len(session.collected.passes)
        await ask_changed_again(session, samples, baseline, config.policy.repeats)
        again = len(session.collected.passes) - full
        await add_tries(session, samples, MUST_PASS_TRIES - full)
        passes = len(session.collected.passes)
        for run in range(full if also else 0):
            answers = await ready.answers(also, run)
            for sample in also:
                ready.writer.append(sample, answers[sample.id], run=run)
    # The file appears when it is whole: an older one stays until then, and two commands at once
    # cannot write into each other's.
    if shard is None:
        copy_atomic(ready.writer.path, outputs)
    else:
        shard.write(ready.writer.path, outputs, full=full, again=again, passes=passes)
    start.end(session)
    return session.collected


@spanned(Spanned.RUN, command="check")
async def check(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
    proposal: Proposal | None = None,
    judge_last: bool = False,
    resume: str = "",
    opens: OpensSystem = open_here,
) -> Report:
    """Run the system, judge it against the baseline, and run it again where that is needed.

    Judging starts as outputs arrive.

    Args:
        proposal: The change's own rules, where they differ: their verdict is computed as well.
        judge_last: Ask the judge only where the metrics that need none have not failed already.
        resume: The run that goes on, by its id or as ``latest``; "" begins a new one.
        opens: Gives what is asked: the system itself, or workers that have it.

    Raises:
        UsageError: no such run was interrupted, or it was begun with something else.
    """
    started = time.monotonic()
    start = start_run(config, operations, selection, command="check", resume=resume, opens=opens)
    selection = start.selection
    setup = read_gate_setup(config, selection.filters, control=control)
    samples = setup.samples
    async with (
        start.open_system(samples, setup.baseline) as ready,
        open_scorer(setup.scoring(ready.opened, operations, selection)) as scorer,
    ):
        session, earlier = begin_session(start, ready, scorer, samples, judge_last=judge_last)
        if not judge_last and await scorer.expect_answers():
            await session.ask_ahead(samples)
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        say_if_all_failed(session)
        repeats = config.policy.repeats
        await ask_changed_again(session, samples, setup.baseline, repeats, earlier=earlier)
        decided = await final_verdict(
            setup, scorer, session.collected, judge_last=judge_last, session=session
        )
        proposed = await _proposed(proposal, setup, scorer.plan, session)
        decided = with_resumed(start, session, replace(decided, tally=ready.opened.tally))
    if save_outputs is not None:
        save_collected(save_outputs, session.collected, samples)
    return stored_report(operations, decided, started=started, proposed=proposed)


async def _proposed(
    proposal: Proposal | None, setup: GateSetup, plan: ScoringPlan, session: Session
) -> Proposed | None:
    if proposal is None:
        return None
    session.ready.end_limit()
    minutes = plan.config.policy.max_minutes
    try:
        async with asyncio.timeout(minutes * 60):
            ask = session.ready.answers
            return await propose(proposal, setup, plan, session.collected, ask=ask)
    except TimeoutError:
        return Proposed(differs=proposal.differs, note=f"not done within {minutes:g} minutes")
