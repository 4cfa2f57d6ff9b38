"""A change that touches nothing the system reads: a verdict without a run."""

import asyncio

from ragate.config import Config
from ragate.github.commits.change import Change
from ragate.github.commits.changed_files import changed_files
from ragate.github.commits.relevance import can_reach
from ragate.github.gate.step_context import StepContext
from ragate.github.gate.two_verdicts import Gate
from ragate.models import Report
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.pipeline.decide.unaffected_verdict import decide_unaffected, describe_system
from ragate.runtime.operations import Operations


def unaffected(
    context: StepContext, change: Change, gate: Gate, operations: Operations
) -> Report | None:
    """Return the verdict on a change that cannot reach the system, None where it may.

    The files that changed tell it where the base's policy names its inputs, else the system itself,
    where it is checked out.
    """
    assert gate.base is not None
    if gate.base.policy.inputs:
        why = _by_files(context, change, gate.base, gate.config)
    else:
        why = _by_fingerprint(gate.config, operations) if change.root is not None else ""
    if not why:
        return None
    return asyncio.run(decide_unaffected(gate.config, operations, context.selection(), why=why))


def _by_files(context: StepContext, change: Change, base: Config, config: Config) -> str:
    if base.system != config.system:
        return ""
    root, repository = change.root, context.repository
    changed = changed_files(change.base, root, repository)
    if changed is None or can_reach(
        changed, base, context.location(root), base=change.base, root=root, repository=repository
    ):
        return ""
    return f"none of the {len(changed)} changed files is one that [policy] inputs names"


def _by_fingerprint(config: Config, operations: Operations) -> str:
    baseline = load_baseline_or_none(config)
    recorded = baseline.manifest.system.fingerprint if baseline is not None else ""
    info = asyncio.run(describe_system(config, operations)) if recorded else None
    if info is None or info.fingerprint != recorded:
        return ""
    return "settings, prompt and corpus of the system are those of the baseline"
