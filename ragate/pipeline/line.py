"""The line: `check`, and its two halves `collect` and `decide`."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.dataset import read_dataset, select
from ragate.errors import NoBaselineError, UsageError
from ragate.models import Filters, Report, Run, Sample
from ragate.pipeline.collected import Collected, read_collected, save_collected
from ragate.pipeline.evaluate import evaluate, make_metrics
from ragate.pipeline.resources import Operations
from ragate.pipeline.session import (
    MUST_PASS_TRIES,
    Selection,
    Session,
    add_tries,
    open_session,
    possible_runs,
)
from ragate.pipeline.verdict import (
    Judged,
    build_report,
    judge,
    refuse_expired_waivers,
    run_facts,
)
from ragate.stores.local import LocalStore, new_run_id


def load_samples(config: Config, selection: Selection) -> list[Sample]:
    """Return the selected golden set."""
    return select(read_dataset(config.dataset), selection.filters)


def load_baseline_or_none(config: Config) -> Run | None:
    """Return the baseline, None where there is no file yet."""
    try:
        return load_baseline(config.baseline)
    except NoBaselineError:
        return None


async def collect(
    config: Config, operations: Operations, selection: Selection, *, outputs: Path
) -> Collected:
    """Run the system `selection.runs` times and write its outputs; nothing is judged.

    Must-pass samples get three tries, so that `decide` has them.
    """
    samples = load_samples(config, selection)
    async with open_session(config, operations, samples, selection, outputs=outputs) as session:
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        await add_tries(session, samples, MUST_PASS_TRIES - len(session.collected.passes))
    return session.collected


async def check(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
) -> Report:
    """Run the system, judge it against the baseline, and run it again where that is needed."""
    today = datetime.datetime.now(datetime.UTC).date()
    started = time.monotonic()
    refuse_expired_waivers(config, today)
    samples = load_samples(config, selection)
    baseline = load_baseline_or_none(config)
    async with open_session(config, operations, samples, selection) as session:
        for _ in range(possible_runs(session, selection.runs)):
            await session.add_pass(samples)
        candidate, judged = _judge(config, samples, baseline, session.collected, today, control)
        while await _more(session, samples, judged):
            candidate, judged = _judge(config, samples, baseline, session.collected, today, control)
    if save_outputs is not None:
        save_collected(save_outputs, session.collected, samples)
    return _finish(
        config, operations, samples, baseline, candidate, judged, control, started=started
    )


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


def decide_outputs(
    config: Config,
    operations: Operations,
    selection: Selection,
    paths: Sequence[Path],
    *,
    control: Run | None = None,
    save_outputs: Path | None = None,
) -> Report:
    """Judge stored outputs against the baseline; runs nothing of the system."""
    today = datetime.datetime.now(datetime.UTC).date()
    started = time.monotonic()
    refuse_expired_waivers(config, today)
    samples = load_samples(config, selection)
    collected = read_collected(
        paths, samples, top_k=selection.top_k, retrieval_only=selection.retrieval_only
    )
    refuse_other_system(config, collected)
    manifest = collected.manifest.model_copy(
        update={
            "run_id": new_run_id(),
            "filters": merged_filters(collected.manifest.filters, selection.filters),
            "retrieval_only": collected.manifest.retrieval_only or selection.retrieval_only,
        }
    )
    collected.manifest = manifest
    if save_outputs is not None:
        save_collected(save_outputs, collected, samples)
    baseline = load_baseline_or_none(config)
    candidate, judged = _judge(config, samples, baseline, collected, today, control)
    return _finish(
        config, operations, samples, baseline, candidate, judged, control, started=started
    )


def score_outputs(config: Config, path: Path) -> Run:
    """Return the scored run of one outputs file, over the whole golden set."""
    samples = read_dataset(config.dataset)
    collected = read_collected([path], samples)
    refuse_other_system(config, collected)
    return score(config, samples, load_baseline_or_none(config), collected)


def refuse_other_system(config: Config, collected: Collected) -> None:
    """Raise where the outputs come from a kind of system that the policy does not name."""
    use = collected.manifest.system.use
    if use not in config.policy.systems:
        raise UsageError(
            f"the outputs come from a {use!r} system; [policy] systems = "
            f"{list(config.policy.systems)}",
            remedy=f"collect them from one of these, or add {use!r} to the policy first",
        )


def merged_filters(collected: Filters, wanted: Filters) -> Filters:
    """Return the filters of both halves: what either left out was not run."""
    return Filters(
        ids=wanted.ids or collected.ids,
        tags=wanted.tags or collected.tags,
        limit=wanted.limit or collected.limit,
    )


def score(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run | None,
    collected: Collected,
) -> Run:
    """Return the scored run of what was collected."""
    metrics = make_metrics(
        config,
        samples,
        states=baseline.manifest.states if baseline else {},
        retrieval_only=collected.manifest.retrieval_only,
    )
    return evaluate(collected.passes, samples, metrics, manifest=collected.manifest)


def _judge(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run | None,
    collected: Collected,
    today: datetime.date,
    control: Run | None,
) -> tuple[Run, Judged]:
    candidate = score(config, samples, baseline, collected)
    return candidate, judge(config, samples, baseline, candidate, today=today, control=control)


def _finish(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    judged: Judged,
    control: Run | None,
    *,
    started: float,
) -> Report:
    facts = run_facts(samples, candidate, judged, duration_s=time.monotonic() - started)
    report = build_report(
        config, samples, baseline, candidate, judged, facts=facts, control=control
    )
    LocalStore(operations.state).save(candidate, report)
    return report
