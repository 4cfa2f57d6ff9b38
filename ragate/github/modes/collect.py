"""Mode ``collect``: run the change's system and write its outputs; no key, no token, no verdict."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragate.config import Config
from ragate.errors import RagateError
from ragate.github.commits.change import Base, Change, base_of
from ragate.github.commits.commit_tree import Tree, policy_files, tree_of
from ragate.github.gate.restore import restore_replies
from ragate.github.gate.step_context import ModeOutcome, StepContext, refuse_code
from ragate.github.gate.two_verdicts import Gate, gate_of_change
from ragate.github.modes.change_verdict import unaffected
from ragate.github.modes.check import head_config
from ragate.github.publish import Announce
from ragate.models import Sample, SystemOutput
from ragate.pipeline.collect_outputs import collect_outputs
from ragate.pipeline.decide.gate_setup import load_samples
from ragate.pipeline.decide.head_policy_verdict import difference
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.shards.shard import Shard
from ragate.pipeline.shards.shard_plan import divided_caps, freeze_plan
from ragate.process import NO_DECISION
from ragate.run.plan import RunPlan
from ragate.run.sources import SystemSource


def run_collect(context: StepContext, _announce: Announce) -> ModeOutcome:
    """Write the outputs of what is checked out, for the questions of the base and its own."""
    root = context.root()
    operations = context.operations()
    base = base_of(context.event, root, own_files=operations.own_files)
    head = head_config(context)
    with context.scratch() as folder:
        policy = _policy(context, base, root, folder)
        gate = gate_of_change(policy, head, name=context.inputs.gate)
        if _is_spared(context, base, root, gate):
            context.log.plain("no input of the system was changed: nobody is asked")
            return ModeOutcome(ended_as="collected", exit_code=0)
        refuse_code(gate.config, context.inputs)
        restore_replies(context, gate.config.gate, base.head, operations)
        runs = context.inputs.runs or 1 + gate.config.policy.confirm
        chosen = context.selection(runs=runs)
        part = _part(context, gate.config, chosen, _also(gate, head, chosen), base.head)
        plan = RunPlan(
            part.config,
            replace(operations, commit=base.head),
            SystemSource(),
            part.selection,
            command="collect",
            also=part.also,
        )
        collected = asyncio.run(collect_outputs(plan, context.outputs_file, shard=part.shard))
    return _outcome(context, collected.passes, sharded=part.shard is not None)


def _outcome(
    context: StepContext, collected: Sequence[Mapping[str, SystemOutput]], *, sharded: bool
) -> ModeOutcome:
    """Say what was collected; nothing but failures is no outputs at all."""
    passes = [outputs for outputs in collected if outputs]
    count = sum(len(outputs) for outputs in passes)
    failed = sum(out.error is not None for outputs in passes for out in outputs.values())
    context.log.plain(
        f"{count} outputs in {len(passes)} passes, {failed} failed: {context.outputs_file.name}"
    )
    is_nothing = count == failed and (count > 0 or not sharded)
    return ModeOutcome(ended_as="collected", exit_code=NO_DECISION if is_nothing else 0)


@dataclass(frozen=True)
class _Part:
    """What one job collects: everything, or one shard of it."""

    config: Config
    selection: Selection
    also: Sequence[Sample]
    shard: Shard | None = None


def _part(
    context: StepContext,
    config: Config,
    chosen: Selection,
    also: Sequence[Sample],
    commit: str,
) -> _Part:
    """Return what this job collects: each makes the plan for itself, and all the same one."""
    shards, number = context.inputs.shards, context.inputs.shard
    if shards is None or number is None:
        return _Part(config, chosen, also)
    plan = freeze_plan(config, chosen, shards=shards, commit=commit)
    shard = Shard(plan, number, config.policy.cluster, context.event.run_attempt)
    return _Part(divided_caps(config, shards, number), plan.selection, shard.own(also), shard)


def _is_spared(context: StepContext, base: Base, root: Path, gate: Gate) -> bool:
    """Whether the half that judges passes this change without its outputs, as ``inputs`` say."""
    if gate.base is None or gate.proposal is not None or not gate.base.policy.inputs:
        return False
    change = Change(base=base, branch="", root=root)
    try:
        return unaffected(context, change, gate, context.operations()) is not None
    except RagateError:
        return False  # who judges says what is wrong


def _policy(context: StepContext, base: Base, root: Path, folder: Path) -> Config | None:
    """Return the base's policy; None where it cannot be read: who judges reads it for himself."""
    if base.trusted:
        return None
    try:
        tree: Tree = tree_of(base.sha, root, context.repository)
        return policy_files(tree, context.location(root), folder)
    except RagateError as error:
        context.log.warning(f"the base's golden set is not asked: {error.message}")
        return None


def _also(gate: Gate, head: Config, chosen: Selection) -> tuple[Sample, ...]:
    """Return the samples that only the change's own golden set has, or words otherwise."""
    if gate.proposal is None:
        return ()
    try:
        base = load_samples(gate.config, chosen.filters)
        return difference(base, load_samples(head, chosen.filters)).new
    except RagateError:
        return ()  # the verdict's half tells what is wrong with it
