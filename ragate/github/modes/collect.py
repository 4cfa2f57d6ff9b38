"""Mode ``collect``: run the change's system and write its outputs; no key, no token, no verdict."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragate.config import Config
from ragate.core.statistics.looks import CONFIRM
from ragate.errors import RagateError
from ragate.github.commits.change import Change, base_of
from ragate.github.commits.commit_tree import policy_files
from ragate.github.gate.base_rules import Gate, gate_of_change
from ragate.github.gate.restore import let_prepare
from ragate.github.gate.step_context import ModeOutcome, StepContext, refuse_code
from ragate.github.modes.change_verdict import unaffected
from ragate.github.modes.check import head_config
from ragate.models import SystemOutput
from ragate.process import NO_DECISION
from ragate.run.collect_outputs import collect_outputs
from ragate.run.plan import RunPlan
from ragate.run.sources import SystemSource


def run_collect(context: StepContext) -> ModeOutcome:
    """Write the outputs of what is checked out, for the questions of the base and its own."""
    operations = context.operations()
    base = base_of(context.event, context.root(), own_files=operations.own_files)
    change = Change(base, "", context.commits())
    head = head_config(context)
    with context.scratch() as folder:
        policy = _policy(context, change, folder)
        gate = gate_of_change(policy, head, name=context.inputs.gate)
        if _is_spared(context, change, gate):
            context.log.plain("no input of the system was changed: nobody is asked")
            return ModeOutcome(ended_as="collected", exit_code=0)
        refuse_code(gate.config, context.inputs)
        let_prepare(context, gate.config.gate, base.head, operations)
        runs = context.inputs.runs or 1 + CONFIRM
        chosen = context.selection(runs=runs)
        plan = RunPlan(
            gate.config,
            replace(operations, commit=base.head),
            SystemSource(),
            chosen,
            command="collect",
        )
        collected = asyncio.run(collect_outputs(plan, context.outputs_file))
    return _outcome(context, collected.passes)


def _outcome(context: StepContext, collected: Sequence[Mapping[str, SystemOutput]]) -> ModeOutcome:
    """Say what was collected; nothing but failures is no outputs at all."""
    passes = [outputs for outputs in collected if outputs]
    count = sum(len(outputs) for outputs in passes)
    failed = sum(out.error is not None for outputs in passes for out in outputs.values())
    context.log.plain(
        f"{count} outputs in {len(passes)} passes, {failed} failed: {context.outputs_file.name}"
    )
    return ModeOutcome(ended_as="collected", exit_code=NO_DECISION if count == failed else 0)


def _is_spared(context: StepContext, change: Change, gate: Gate) -> bool:
    """Whether the half that judges passes this change without its outputs, as ``inputs`` say."""
    if gate.base is None or not gate.base.policy.inputs:
        return False
    try:
        return unaffected(context, change, gate, context.operations()) is not None
    except RagateError:
        return False  # who judges says what is wrong


def _policy(context: StepContext, change: Change, folder: Path) -> Config | None:
    """Return the base's policy; None where it cannot be read: who judges reads it for himself."""
    if change.base.trusted:
        return None
    try:
        tree = change.commits.tree(change.base.sha)
        return policy_files(tree, context.location(change.root), folder)
    except RagateError as error:
        context.log.warning(f"the base's golden set is not asked: {error.message}")
        return None
