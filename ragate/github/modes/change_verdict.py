"""The way from a change to its verdict, the same in the modes ``check`` and ``decide``.

They differ in where the outputs come from: each has an `OutputSource`.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ragate import plugins
from ragate.config import Config
from ragate.errors import RagateError
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.gate.unaffected_verdict import decide_unaffected, describe_system
from ragate.github.commits.change import Change, refuse_side_door, refuse_two_branches
from ragate.github.commits.changed_files import can_reach, changed_files, touches
from ragate.github.commits.commit_tree import Tree, policy_files
from ragate.github.gate.base_rules import Gate, gate_of_change, gate_of_commit
from ragate.github.gate.finalise import ReportDraft, blank_report, finalise
from ragate.github.gate.output_provenance import Provenance, edited_measure, provenance_of
from ragate.github.gate.step_context import ModeOutcome, StepContext, refuse_code
from ragate.github.publish import VerdictTarget
from ragate.github.publish.changed_sources import Annotation, Sources, annotations_for, sources_of
from ragate.github.publish.report_sources import (
    Pages,
    changed_origin,
    document_pages,
    sample_pages,
    with_unasked,
)
from ragate.models import Report, SourceLinks
from ragate.repository.git_process import one_folder
from ragate.resources.operations import Operations


class OutputSource(Protocol):
    """Where the outputs of a change come from."""

    def configuration(self, policy: Config | None, folder: Path) -> Config:
        """Return the change's own configuration.

        Args:
            policy: The base's, None where it has none.
            folder: Its own, for files that are not checked out.
        """

    def prepare(self, gate: Gate, operations: Operations) -> Operations:
        """Bring back what earlier runs left, and return what may be used for this gate."""

    def draft(self, gate: Gate, operations: Operations, provenance: Provenance) -> ReportDraft:
        """Return the line's report on the outputs."""

    def is_current(self) -> bool:
        """Return whether the same rules still decide, after judging took its time."""


def judge_change(context: StepContext, change: Change, source: OutputSource) -> ModeOutcome:
    """Return the verdict on a change, or that another run's counts by now."""
    base = change.base
    with context.scratch() as folder:
        tree = None if base.trusted else change.commits.tree(base.sha)
        policy = _policy(context, change, tree, folder)
        target = VerdictTarget("", base.head, change.number)
        if policy is not None:
            target = replace(target, gate=context.inputs.gate or policy.gate)
            context.announce(target)
        head, name = source.configuration(policy, folder), context.inputs.gate
        gate = gate_of_change(policy, head, name=name) if tree else gate_of_commit(head, name=name)
        if policy is None:
            target = replace(target, gate=gate.config.gate)
            context.announce(target)
        refuse_two_branches(base.head, change.branch, change.other_branches)
        context.hide(gate.config)
        operations = source.prepare(gate, replace(context.operations(), commit=base.head))
        draft = _draft(context, change, gate, source, operations)
        if not source.is_current():
            return superseded(context)
        with one_folder():  # another one where code under test ran: it has ended by now
            sources = _sources(context, change, gate, tree)
            report = draft.report.amended(rules_differ=gate.differs)
            draft = replace(draft, report=_with_sources(context, change, gate, sources, report))
            outcome = finalise(context, change, gate, draft, operations)
            annotations = _annotations(change, sources, outcome.report)
        return replace(outcome, target=target, annotations=annotations)


def superseded(context: StepContext) -> ModeOutcome:
    """Say that there is no verdict here, nor a failure."""
    context.log.plain(
        "the pull request is closed, or another commit, branch or pull request decides by now: "
        "nothing to decide"
    )
    return ModeOutcome(ended_as="superseded")


def _policy(context: StepContext, change: Change, tree: Tree | None, folder: Path) -> Config | None:
    """Return the base's policy; None where a commit is judged by its own, or there is none yet."""
    if tree is None:
        return None
    location = context.location(change.root)
    policy = policy_files(tree, location, folder / "base")
    if policy is None and context.repository is not None:
        path, read = location.path, change.base.sha
        refuse_side_door(context.event, context.repository, change.branch, path, read=read)
    return policy


def _draft(
    context: StepContext, change: Change, gate: Gate, source: OutputSource, operations: Operations
) -> ReportDraft:
    provenance = Provenance()
    if gate.base is not None and not change.base.trusted:
        # The variables of the job that asked the system are not those of the one that decides.
        variables = operations.environment if change.root is not None else {}
        provenance = provenance_of(gate.base, gate.config, variables)
        if not provenance.refused and not provenance.other_system:
            provenance = _measured_by_the_base(context, change, gate.base)
    if provenance.refused:
        report = blank_report(gate, provenance.refused, provenance.remedies)
        return ReportDraft(report, provenance)
    if change.root is not None:
        refuse_code(gate.config, context.inputs)
    own_rules = change.base.trusted or gate.bootstrap
    if not own_rules and not provenance.other_system:
        spared = unaffected(context, change, gate, operations)
        if spared is not None:
            return ReportDraft(spared, provenance)
    return source.draft(gate, operations, provenance)


def _measured_by_the_base(context: StepContext, change: Change, base: Config) -> Provenance:
    """Return what speaks against a change of the evaluator's own files, which the base names."""
    patterns = base.policy.scores_measured_by
    if not patterns:
        return Provenance()
    changed = changed_files(change.base, change.commits)
    if changed is None:
        return edited_measure("which files it edits is not known")
    location = context.location(change.root)
    edited = next((name for name in changed if touches([name], patterns, location)), "")
    return edited_measure(edited) if edited else Provenance()


def _sources(context: StepContext, change: Change, gate: Gate, tree: Tree | None) -> Sources | None:
    """Return both versions of what the change touches; None where there is no base to compare."""
    base, commits = change.base, change.commits
    if tree is None or gate.base is None:
        return None
    try:
        head = commits.tree(base.merged or base.head)
        changed = changed_files(base, commits) or []
        return sources_of(tree, head, changed, gate.config, context.location(change.root))
    except RagateError as error:  # what explains a verdict does not take it back
        context.log.warning(f"what the change touches is not known: {error.message}")
        return None


def _with_sources(
    context: StepContext, change: Change, gate: Gate, sources: Sources | None, report: Report
) -> Report:
    """Return the report with what did it, from the diff, and where its sources can be read."""
    location, event = context.location(change.root), context.event
    site = event.run_url.partition("/actions/")[0]
    links = SourceLinks(config=location.path)
    if event.run is not None and event.run.head_repository not in ("", event.repository):
        links = links.amended(
            collected_by=event.run.head_repository,
            collected_url=f"{site}/actions/runs/{event.run.id}",
        )
    if sources is None:
        return report.amended(links=links)
    pages = Pages(site, change.base.head, change.base.sha)
    golden = location.at(gate.config.policy.dataset)
    try:
        links = links.amended(
            samples=sample_pages(report, sources, golden, pages),
            documents=document_pages(report, sources, pages),
        )
        runs_code = plugins.traits(gate.config.system.use).runs_code
        origin = changed_origin(report, sources, pages, runs_code=runs_code)
    except RagateError as error:
        context.log.warning(f"what changed could not be read: {error.message}")
        return report.amended(links=links)
    report = report.amended(links=links, origin=origin)
    return with_unasked(report, sources, golden)


def _annotations(
    change: Change, sources: Sources | None, report: Report | None
) -> tuple[Annotation, ...]:
    """Return remarks on the changed lines that may explain what got worse."""
    if sources is None or change.root is None or report is None:
        return ()
    return annotations_for(report, sources)


# A change that touches nothing the system reads: a verdict without a run.


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
    location = context.location(change.root)
    changed = changed_files(change.base, change.commits)
    if changed is None or can_reach(changed, base, location, change.base, change.commits):
        return ""
    return f"none of the {len(changed)} changed files is one that [policy] inputs names"


def _by_fingerprint(config: Config, operations: Operations) -> str:
    baseline = load_baseline_or_none(config)
    recorded = baseline.manifest.system.fingerprint if baseline is not None else ""
    info = asyncio.run(describe_system(config, operations)) if recorded else None
    if info is None or info.fingerprint != recorded:
        return ""
    return "settings, prompt and corpus of the system are those of the baseline"
