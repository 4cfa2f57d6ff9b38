"""Recording a baseline: K fresh runs, never one that was judged against the old baseline."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from ragate.config import Config
from ragate.dataset import read_dataset
from ragate.models import Acceptance
from ragate.pipeline.baseline.recording import forget_recording, recording_of
from ragate.pipeline.baseline.refuse_losses import (
    accepted_by_hand,
    fails_too_often,
    refuse_unknown,
)
from ragate.pipeline.baseline.refuse_recording import refuse_unmeasured
from ragate.pipeline.baseline.write_baseline import (
    BaselineOutcome,
    BaselineUpdate,
    readable_baseline,
    write_baseline,
)
from ragate.pipeline.decide.compare_and_decide import unread_runs
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.golden.id_advice import id_advice
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.run.store_run import store_run
from ragate.recorder.baseline_replies import given_replies, keep_replies
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan, Source, Stop
from ragate.run.sources import SystemSource
from ragate.runtime.operations import Operations
from ragate.support.spans import finished


async def update_baseline(
    config: Config,
    operations: Operations,
    *,
    runs: int | None = None,
    accepted: Sequence[Acceptance] = (),
    eval_date: str = "",
    accept: Collection[str] = (),
    source: Source | None = None,
) -> BaselineUpdate:
    """Record `runs` fresh passes over the whole golden set and write the baseline file.

    The system builds its index anew for every pass where it builds one. The runs are written whole:
    whoever keeps the better of two recordings moves the goal. The file keeps its bytes where they
    say the same.

    Args:
        accepted: Drops that were accepted on the way here; the file names them.
        eval_date: What ``{today}`` in a question stands for, "" for today.
        accept: What else may be lost, or wrong with the runs, by name.
        source: Who is asked: the system itself, or workers that have it.

    Raises:
        DatasetError: expected documents are not in the corpus; the file is left as it is.
        RagateError: nothing, or too little, could be measured, or something was lost that nobody
            accepted; the file is left as it is.
    """
    samples = read_dataset(config.dataset)
    refuse_unknown(config, samples, accept)
    runs = config.policy.decision.runs if runs is None else runs
    selection = Selection(runs=runs, eval_date=eval_date)
    old = readable_baseline(config)
    plan = RunPlan(config, operations, source or SystemSource(), selection, "baseline update")
    setup, mark = GateSetup(config, samples, old), recording_of(operations.state)
    result = await run_gate(replace(plan, stop=Stop.SCORED, setup=setup, recording=mark))
    session, run = result.session, result.run
    if fails_too_often(config, run, kinds={"system"}):
        # What made it fail may be mended outside of git: nothing of it is taken over next time.
        forget_recording(operations.state)
    refuse_unmeasured(config, run)
    store_run(operations, run)
    finished(run)
    advice = id_advice(config, samples, run)
    update = write_baseline(
        config,
        samples,
        run,
        old,
        accepted=(*accepted, *accepted_by_hand(accept, run.manifest.commit)),
        advice=advice,
        whole=session.collected.whole,
    )
    warnings = [f"{advice.message}\n  -> {advice.remedy}"] if advice is not None else []
    for line in (*warnings, *unread_runs(run)):
        operations.say(f"warning: {line}")
    forget_recording(operations.state)
    fresh = update.outcome is not BaselineOutcome.UNCHANGED
    keep_replies(config, given_replies(session.system), fresh=fresh)
    return update
