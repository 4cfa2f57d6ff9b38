"""Mode ``check`` on a change that touches nothing the system reads: a verdict without a run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragate.config import Config
from ragate.github.commits.base_commit import Base
from ragate.github.commits.relevance import can_reach
from ragate.github.gate.step_context import Context
from ragate.github.gate.two_verdicts import Gate
from ragate.models import Report
from ragate.pipeline.decide.unaffected_verdict import decide_unaffected, describe_system
from ragate.runtime.resources import Operations


def unaffected(
    context: Context,
    gate: Gate,
    base: Base,
    changed: list[str] | None,
    root: Path,
    operations: Operations,
) -> Report | None:
    """Return the verdict on a change that cannot reach the system, None where it may."""
    why = _why_unaffected(context, gate, base, changed, root, operations)
    if not why:
        return None
    chosen = context.selection()
    return asyncio.run(decide_unaffected(gate.config, operations, chosen, why=why))


def _why_unaffected(
    context: Context,
    gate: Gate,
    base: Base,
    changed: list[str] | None,
    root: Path,
    operations: Operations,
) -> str:
    assert gate.base is not None
    if gate.base.policy.inputs:
        same = gate.base.system == gate.config.system
        if changed is None or not same:
            return ""
        place, repository = context.place(root), context.repository
        if can_reach(changed, gate.base, place, base=base, root=root, repository=repository):
            return ""
        return f"none of the {len(changed)} changed files is one that [policy] inputs names"
    then = _baseline_fingerprint(gate.config)
    info = asyncio.run(describe_system(gate.config, operations)) if then else None
    if info is None or info.fingerprint != then:
        return ""
    return "settings, prompt and corpus of the system are those of the baseline"


def _baseline_fingerprint(config: Config) -> str:
    from ragate.pipeline.decide.gate_setup import load_baseline_or_none

    baseline = load_baseline_or_none(config)
    return baseline.manifest.system.fingerprint if baseline is not None else ""
