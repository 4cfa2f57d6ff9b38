"""Recording a baseline: K fresh runs, never one that was judged against the old baseline."""

from collections.abc import Collection, Sequence

from ragate.config import Config
from ragate.dataset import read_dataset
from ragate.models import Acceptance, Record, Run, Sample
from ragate.pipeline.baseline.interrupted_recording import (
    forget_recording,
    note_progress,
    recording_of,
    restore_answers,
)
from ragate.pipeline.baseline.look_before_recording import look_before_recording
from ragate.pipeline.baseline.refuse_recording import (
    refuse_left_out,
    refuse_missing,
    refuse_unmeasured,
)
from ragate.pipeline.baseline.refuse_worst import refuse_unknown, refuse_worst
from ragate.pipeline.baseline.write_baseline import (
    BaselineOutcome,
    BaselineUpdate,
    readable_baseline,
    with_accepted,
    write_baseline,
)
from ragate.pipeline.doc_ids.id_advice import id_advice
from ragate.pipeline.run.earlier_passes import evidence_key
from ragate.pipeline.run.opened_system import OpensSystem, open_here
from ragate.pipeline.run.ready_system import open_ready_system
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.run.store_run import store_run
from ragate.pipeline.run.system_session import Session, possible_runs
from ragate.pipeline.score.open_scorer import open_scorer
from ragate.pipeline.score.scorer import ScoringPlan
from ragate.recorder.baseline_replies import asks_otherwise, given_replies, keep_replies
from ragate.recorder.recorded_system import restart
from ragate.runtime.operations import Operations
from ragate.runtime.resources import Opened
from ragate.stores.postgres.open_store import reach_store
from ragate.support.spans import Spanned, finished, spanned
from ragate.support.spill import Spill


@spanned(Spanned.RUN, command="baseline update")
async def update_baseline(
    config: Config,
    operations: Operations,
    *,
    runs: int | None = None,
    force: bool = False,
    accepted: Sequence[Acceptance] = (),
    eval_date: str = "",
    allow_worst: Collection[str] = (),
    opens: OpensSystem = open_here,
) -> BaselineUpdate:
    """Record `runs` fresh passes over the whole golden set and write the baseline file.

    The system builds its index anew for every pass where it builds one. The file keeps its bytes
    when nothing changed, and when a noisy system differs from it only by its noise (unless
    `force`): a redrawn baseline would move the goal without a reason.

    Args:
        accepted: Drops that were accepted on the way here; the file keeps them.
        eval_date: What ``{today}`` in a question stands for, "" for today.
        allow_worst: What is gated and may stand at its worst value.
        opens: Gives what is asked: the system itself, or workers that have it.

    Raises:
        DatasetError: expected documents are not in the corpus; the file is left as it is.
        RagateError: nothing, or too little, could be measured; the file is left as it is.
    """
    reach_store(operations.runs_url)
    samples = read_dataset(config.dataset)
    refuse_unknown(config, samples, allow_worst)
    runs = config.policy.decision.runs if runs is None else runs
    selection = Selection(runs=runs, eval_date=eval_date)
    old = readable_baseline(config)
    session, run = await _record(config, operations, samples, selection, old, opens)
    refuse_unmeasured(config, run)
    store_run(operations, run)
    finished(run)
    advice = id_advice(config, samples, run)
    allowed = {*allow_worst, *(acceptance.metric for acceptance in accepted)}
    refuse_worst(config, samples, run, old, allowed=allowed, advice=advice)
    if advice is not None:
        operations.say(f"warning: {advice.message}\n  -> {advice.remedy}")
    forget_recording(operations.state)
    if config.policy.store == "full":
        # With texts they are large: none is kept in memory.
        with_texts = Spill(Record, map(session.collected.whole, run.records), kept=0)
        run = run.amended(records=with_texts)
    run = with_accepted(run, accepted)
    replies = given_replies(session.system)
    stale = replies is not None and asks_otherwise(config, old, run)
    update = write_baseline(config, samples, run, force=force or stale)
    fresh = update.outcome in {BaselineOutcome.CREATED, BaselineOutcome.REPLACED}
    keep_replies(config, replies, fresh=fresh)
    return update


async def _record(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    selection: Selection,
    old: Run | None,
    opens: OpensSystem,
) -> tuple[Session, Run]:
    """Return the passes and their scores.

    Args:
        old: The baseline that is there; its judgements are not asked for again.
    """
    recording = recording_of(operations.state)

    async def look_first(opened: Opened) -> None:
        resumed = bool(recording.run_id)
        await look_before_recording(config, operations, opened, samples, old, resumed=resumed)

    async with (
        open_ready_system(
            config,
            operations,
            samples,
            selection,
            recording=recording.name,
            look_first=look_first,
            opens=opens,
        ) as ready,
        # Before an answer is paid for: the judge may be one that cannot be had.
        open_scorer(
            ScoringPlan(
                config,
                ready.opened,
                samples,
                _judgements_only(old),
                selection,
                recording=True,
                progress=operations.progress,
            )
        ) as scorer,
    ):
        session = Session(ready, listen=scorer.submit, room=scorer.room)
        if missing := ready.manifest.missing_documents:
            refuse_missing(missing, await ready.system.documents())
        refuse_left_out(scorer.left_out)
        own_files = (operations.state, *operations.own_files)
        state = evidence_key(config, samples, ready.system.info, selection, own_files=own_files)
        if count := restore_answers(session, samples, recording, state):
            operations.say(f"{count} answers of the recording that was interrupted are kept")
        note_progress(session, recording, state)
        if await scorer.expect_answers():
            await session.ask_ahead(samples)
        for number in range(possible_runs(session, selection.runs)):
            if number:
                if config.policy.repeats:  # what only holds within a session would repeat as well
                    await restart(ready.system)
                await ready.system.prepare(rebuild=True)
            await session.add_pass(samples)
        return session, await scorer.score(session.collected)


def _judgements_only(old: Run | None) -> Run | None:
    """Return the old baseline without its tables: a new recording fits them anew."""
    if old is None:
        return None
    return old.amended(manifest=old.manifest.amended(states={}))
