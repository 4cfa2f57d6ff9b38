"""Runs as the commands make them, for tests that have configuration and operations in hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragate.answers.collected_outputs import Collected
from ragate.answers.ready_system import OpensSystem, open_here
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.models import Report
from ragate.resources.operations import Operations
from ragate.run.collect_outputs import collect_outputs
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan
from ragate.run.resume import resumed
from ragate.run.sources import SystemSource


async def check(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    resume: str = "",
    opens: OpensSystem = open_here,
    **fields: Any,
) -> Report:
    """Return the report of ``ragate check``."""
    plan = RunPlan(config, operations, SystemSource(opens), selection, **fields)
    return (await run_gate(resumed(plan, resume) if resume else plan)).report


async def collect(
    config: Config, operations: Operations, selection: Selection, *, outputs: Path
) -> Collected:
    """Return what ``ragate collect`` collects."""
    plan = RunPlan(config, operations, SystemSource(), selection, command="collect")
    return await collect_outputs(plan, outputs)
