"""Recording a baseline: K fresh runs, never one that was judged against the old baseline."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragate.baseline import (
    MACHINE_UNITS,
    baseline_bytes,
    contexts_path,
    dump_baseline,
    parse_baseline,
    recorded_before,
    recorded_now,
    save_baseline,
)
from ragate.config import Config
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.dataset import read_dataset
from ragate.errors import BaselineError, DatasetError, RagateError
from ragate.models import Acceptance, MetricVerdict, Record, Run, Sample, ScoreState
from ragate.pipeline.baseline.interrupted_recording import (
    forget_recording,
    note_progress,
    recording_of,
    restore_answers,
)
from ragate.pipeline.run.earlier_passes import evidence_key
from ragate.pipeline.run.ready_system import open_ready_system
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.run.system_session import Session, possible_runs
from ragate.pipeline.score.metric_records import failures
from ragate.pipeline.score.open_scorer import open_scorer
from ragate.pipeline.score.scorer import ScoringPlan
from ragate.recorder.baseline_replies import asks_otherwise, given_replies, keep_replies
from ragate.recorder.recorded_system import restart
from ragate.runtime.resources import Operations
from ragate.stores.local import LocalStore
from ragate.support.spill import Spill

_MOVED = {MetricVerdict.REGRESSED, MetricVerdict.IMPROVED, MetricVerdict.WORSE_HERE}


class BaselineOutcome(StrEnum):
    """What became of the baseline file."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    WITHIN_NOISE = "within_noise"


@dataclass(frozen=True)
class Recording:
    """What `update_baseline` did, and the run it recorded."""

    outcome: BaselineOutcome
    run: Run
    old: Run | None
    note: str = ""


async def update_baseline(
    config: Config,
    operations: Operations,
    *,
    runs: int | None = None,
    force: bool = False,
    accepted: Sequence[Acceptance] = (),
    eval_date: str = "",
) -> Recording:
    """Record `runs` fresh passes over the whole golden set and write the baseline file.

    The system builds its index anew for every pass where it builds one. The file keeps its bytes
    when nothing changed, and when a noisy system differs from it only by its noise (unless
    `force`): a redrawn baseline would move the goal without a reason.

    Args:
        accepted: Drops that were accepted on the way here; the file keeps them.
        eval_date: What ``{today}`` in a question stands for, "" for today.

    Raises:
        DatasetError: expected documents are not in the corpus; the file is left as it is.
        RagateError: nothing, or too little, could be measured; the file is left as it is.
    """
    samples = read_dataset(config.dataset)
    wanted = config.policy.decision.runs if runs is None else runs
    chosen = Selection(runs=wanted, eval_date=eval_date)
    old = _readable(_bytes(config), str(config.baseline))
    session, run = await _record(config, operations, samples, chosen, old)
    refuse_unmeasured(config, run)
    LocalStore(operations.state).save(run)
    forget_recording(operations.state)
    if config.policy.store == "full":
        # With texts they are large: none is kept in memory.
        whole = Spill(Record, map(session.collected.whole, run.records), kept=0)
        run = run.model_copy(update={"records": whole})
    run = _with_accepted(run, accepted)
    replies = given_replies(session.system)
    stale = replies is not None and asks_otherwise(config, old, run)
    done = _write(config, samples, run, force=force or stale)
    keep_replies(
        config, replies, fresh=done.outcome in {BaselineOutcome.CREATED, BaselineOutcome.REPLACED}
    )
    return done


async def _record(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    chosen: Selection,
    old: Run | None,
) -> tuple[Session, Run]:
    """Return the passes and their scores.

    Args:
        old: The baseline that is there; its judgements are not asked for again.
    """
    recording = recording_of(operations.state)
    async with (
        open_ready_system(config, operations, samples, chosen, recording=recording.name) as ready,
        # Before an answer is paid for: the judge may be one that cannot be had.
        open_scorer(
            ScoringPlan(
                config, ready.opened, samples, _judgements_only(old), chosen, recording=True
            )
        ) as scorer,
    ):
        session = Session(ready, listen=scorer.submit, room=scorer.room)
        _refuse_missing(session)
        refuse_left_out(scorer.left_out)
        own = (operations.state, *operations.own_files)
        state = evidence_key(config, samples, session.system.info, chosen, own=own)
        if count := restore_answers(session, samples, recording, state):
            operations.say(f"{count} answers of the recording that was interrupted are kept")
        note_progress(session, recording, state)
        for number in range(possible_runs(session, chosen.runs)):
            if number:
                if config.policy.repeats:  # what only holds within a session would repeat as well
                    await restart(session.system)
                await session.system.prepare(rebuild=True)
            await session.add_pass(samples)
        return session, await scorer.score(session.collected)


def _with_accepted(run: Run, accepted: Sequence[Acceptance]) -> Run:
    manifest = run.manifest.model_copy(update={"accepted": tuple(accepted)})
    return run.model_copy(update={"manifest": manifest})


def _judgements_only(old: Run | None) -> Run | None:
    """Return the old baseline without its tables: a new recording fits them anew."""
    if old is None:
        return None
    return old.model_copy(update={"manifest": old.manifest.model_copy(update={"states": {}})})


def refuse_left_out(left_out: Collection[str]) -> None:
    if left_out:
        names = ", ".join(left_out)
        raise RagateError(
            f"the judge's key is not set, so {names} cannot be recorded",
            remedy="set the key; the baseline is unchanged",
        )


def _refuse_missing(session: Session) -> None:
    missing = session.collected.manifest.missing_documents
    if not missing:
        return
    lines = [f"{sample_id}: {', '.join(docs)}" for sample_id, docs in sorted(missing.items())]
    more = f"\n  … and {len(lines) - 20} more samples" if len(lines) > 20 else ""
    raise DatasetError(
        f"{len(missing)} samples expect documents that are not in the corpus:\n  "
        + "\n  ".join(lines[:20])
        + more,
        remedy="correct their `relevant` ids, or add the documents; the baseline is unchanged",
    )


def refuse_unmeasured(config: Config, run: Run) -> None:
    failed = failures(record.output for record in run.records)
    if failed == len(run.records):
        example = next((r.output.error.message for r in run.records if r.output.error), "no sample")
        raise RagateError(
            f"all {failed} outputs failed, such as: {example}",
            remedy="mend the system first; the baseline is unchanged",
        )
    most = config.policy.decision.max_unscored
    for name in run.manifest.metrics:
        found = [record.scores[name] for record in run.records if name in record.scores]
        lost = sum(score.state is ScoreState.UNSCORED for score in found)
        share = lost / len(found) if found else 0.0
        if not share <= most and _is_gated(config, name):
            why = Counter(one.reason for one in found if one.state is ScoreState.UNSCORED)
            raise RagateError(
                f"{name}: {lost} of {len(found)} scores could not be measured ({share:.1%}; "
                f"[policy] max_unscored is {most:.1%}): {why.most_common(1)[0][0]}",
                remedy="`ragate collect` shows the failures; the baseline is unchanged",
            )


def _is_gated(config: Config, name: str) -> bool:
    return any(rule.metric == name and rule.level == "error" for rule in config.policy.metrics)


def _write(config: Config, samples: Sequence[Sample], run: Run, *, force: bool) -> Recording:
    store = config.policy.store
    old_bytes = _bytes(config)
    old = _readable(old_bytes, str(config.baseline))
    fresh = recorded_now(run, date=datetime.datetime.now(datetime.UTC).date().isoformat())
    if old is None or old_bytes is None:
        save_baseline(config.baseline, dump_baseline(run, store=store, recorded=fresh), run, store)
        outcome = BaselineOutcome.CREATED if old_bytes is None else BaselineOutcome.REPLACED
        return Recording(outcome=outcome, run=run, old=None)
    kept = recorded_before(old)
    same = _with_accepted(run, old.manifest.accepted)
    if dump_baseline(same, store=store, recorded=kept) == old_bytes:
        if store == "full" and not contexts_path(config.baseline).is_file():
            save_baseline(config.baseline, old_bytes, run, store)
        return Recording(outcome=BaselineOutcome.UNCHANGED, run=run, old=old)
    if not force and (note := _within_noise(config, samples, old, run)):
        return Recording(outcome=BaselineOutcome.WITHIN_NOISE, run=run, old=old, note=note)
    save_baseline(config.baseline, dump_baseline(run, store=store, recorded=fresh), run, store)
    return Recording(outcome=BaselineOutcome.REPLACED, run=run, old=old)


def _bytes(config: Config) -> bytes | None:
    return baseline_bytes(config.baseline)


def _readable(data: bytes | None, where: str) -> Run | None:
    """Return the old baseline; one that cannot be read is replaced, which is what was asked for."""
    try:
        return None if data is None else parse_baseline(data, where=where)
    except BaselineError:
        return None


def _within_noise(config: Config, samples: Sequence[Sample], old: Run, run: Run) -> str:
    """Return why the old file says the same as the new run, "" where it does not."""
    then, now = old.manifest, run.manifest
    infos = {name: i for name, i in now.metrics.items() if i.unit not in MACHINE_UNITS}
    if (then.system, then.metrics, then.runs) != (now.system, infos, now.runs):
        return ""
    if then.judge != now.judge:  # equal figures of another judge are another yardstick
        return ""
    policy = config.policy
    comparison = compare(old, run, samples, cluster=policy.cluster, repeats=policy.repeats)
    data = comparison.data
    if data.added or data.removed or data.edited:
        return ""
    rules = [rule for rule in policy.metrics if rule.level != "off"]
    today = datetime.datetime.now(datetime.UTC).date()
    decision = decide(rules, comparison, policy.decision, today=today)
    if any(row.verdict in _MOVED or (row.exact and row.change) for row in decision.metrics):
        return ""
    return (
        "the fresh runs differ from the baseline by no more than its own noise; the file is kept "
        "(--force writes it all the same)"
    )


def means(run: Run) -> dict[str, float]:
    """Return the mean of every metric over all samples and runs, sorted by name."""
    values: dict[str, list[float]] = {}
    for scores in [*(record.scores for record in run.records), *run.aggregates]:
        for name, score in scores.items():
            if score.value is not None:
                values.setdefault(name, []).append(score.value)
    return {name: sum(found) / len(found) for name, found in sorted(values.items())}
