"""What `collect` does round its run: the outputs become a file of their own."""

from dataclasses import replace
from pathlib import Path

from ragate.answers.collected_outputs import Collected
from ragate.files.atomic_files import copy_atomic
from ragate.run.note import note_ended
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan, Stop
from ragate.run.shard import Shard
from ragate.stores import OUTPUTS


async def collect_outputs(plan: RunPlan, target: Path, *, shard: Shard | None = None) -> Collected:
    """Run a plan as far as to its outputs, and write them; nothing is judged.

    The file appears when it is whole: an older one stays until then, and two commands at once
    cannot write into each other's.

    Args:
        plan: Of the command ``collect``.
        shard: Ask its samples alone; the file says which it is.
    """
    own = plan.own if shard is None else shard.own
    plan = replace(plan, stop=Stop.ASKED, own=own)
    session = (await run_gate(plan)).session
    written, passes = session.ready.folder / OUTPUTS, len(session.collected.passes)
    full = session.full or plan.selection.runs  # of one that ended early those that were to be made
    if shard is None:
        copy_atomic(written, target)
    else:
        shard.write(written, target, full=full, again=session.again, passes=max(full, passes))
    note_ended(plan, session)
    return session.collected
