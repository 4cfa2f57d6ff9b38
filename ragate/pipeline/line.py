"""The line: `check`, and its two halves `collect` and `decide`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from ragate.atomic import copy_atomic
from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Report, Run, Sample
from ragate.pipeline.case import load_baseline_or_none, load_samples, open_case
from ragate.pipeline.collected import Collected, read_collected, save_collected
from ragate.pipeline.evidence import adopt_earlier, evidence_key
from ragate.pipeline.resources import Operations, open_resources
from ragate.pipeline.session import (
    MUST_PASS_TRIES,
    Selection,
    Session,
    add_tries,
    open_session,
    possible_runs,
)
from ragate.pipeline.verdict import Judged
from ragate.stores.local import new_run_id


async def collect(
    config: Config, operations: Operations, selection: Selection, *, outputs: Path
) -> Collected:
    """Run the system `selection.runs` times and write its outputs; nothing is judged.

    Must-pass samples get three tries, so that `decide` has them.
    """
    samples = load_samples(config, selection)
    baseline = load_baseline_or_none(config)
    async with open_session(config, operations, samples, selection, baseline=baseline) as session:
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        await add_tries(session, samples, MUST_PASS_TRIES - len(session.collected.passes))
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
) -> Report:
    """Run the system, judge it against the baseline, and run it again where that is needed.

    Judging starts as outputs arrive.
    """
    started = time.monotonic()
    case = open_case(config, operations, selection, control=control)
    async with (
        open_session(
            config, operations, case.samples, selection, baseline=case.baseline
        ) as session,
        case.scorer(session.opened, retrieval_only=selection.retrieval_only) as scorer,
    ):
        session.listen = scorer.submit
        session.name_state(evidence_key(config, case.samples, session.system.info, selection))
        adopt_earlier(session, case.samples)
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(case.samples)
        candidate, judged = await case.judge(scorer, session.collected)
        while await _more(session, case.samples, judged):
            candidate, judged = await case.judge(scorer, session.collected)
        if judged.decision.wants_runs:
            have = counted_runs(session)
            judged = judged.with_note(f"suspicious, and the system has no more than {have}")
    if save_outputs is not None:
        save_collected(save_outputs, session.collected, case.samples)
    return case.finish(candidate, judged, started=started)


def counted_runs(session: Session) -> str:
    """Return how many recorded runs a system holds, in words."""
    runs = session.system.max_runs or 0
    return f"{runs} recorded run{'' if runs == 1 else 's'}: it cannot be confirmed"


async def _more(session: Session, samples: Sequence[Sample], judged: Judged) -> bool:
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


async def decide_outputs(
    config: Config,
    operations: Operations,
    selection: Selection,
    paths: Sequence[Path],
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
) -> Report:
    """Judge stored outputs against the baseline; runs nothing of the system."""
    started = time.monotonic()
    case = open_case(config, operations, selection, control=control)
    collected = read_collected(
        paths, case.samples, top_k=selection.top_k, retrieval_only=selection.retrieval_only
    )
    refuse_other_system(config, collected)
    hint_at_filters(operations, collected, selection)
    collected.manifest = collected.manifest.model_copy(
        update={
            "run_id": new_run_id(),
            "filters": selection.filters,
            "retrieval_only": selection.retrieval_only,
        }
    )
    if save_outputs is not None:
        save_collected(save_outputs, collected, case.samples)
    bare = selection.retrieval_only
    async with (
        open_resources(config, operations) as opened,
        case.scorer(opened, retrieval_only=bare) as scorer,
    ):
        candidate, judged = await case.judge(scorer, collected)
    return case.finish(candidate, judged, started=started)


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
            "the outputs were collected with other filters (--ids, --tags, --limit, "
            "--retrieval-only): give `decide` the same, or what is not there counts as unmeasured"
        )
