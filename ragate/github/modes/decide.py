"""Mode ``decide``: judge outputs that a job without keys collected. No checkout, nothing is run."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError, UsageError
from ragate.github.commits.base_commit import ApiTree, refuse_side_door
from ragate.github.commits.changed_files import api_changed_files
from ragate.github.commits.policy_files import policy_files
from ragate.github.commits.pull_request import PullRequest, is_current, subject_of
from ragate.github.commits.relevance import can_reach
from ragate.github.commits.shared_commit import refuse_two_branches
from ragate.github.gate.attempt_evidence import outputs_in
from ragate.github.gate.finalise import Judgement, finished
from ragate.github.gate.held_verdict import hold_verdict
from ragate.github.gate.output_provenance import Origin, origin_of
from ragate.github.gate.pending_status import announced, is_begun
from ragate.github.gate.report_edits import blank_report
from ragate.github.gate.step_context import Context, ModeOutcome
from ragate.github.gate.two_verdicts import Gate, compose
from ragate.github.gate.untrusted_files import foreign_outputs, measured
from ragate.github.publish.publish import Target
from ragate.github.rest.repository import Repository
from ragate.models import Report
from ragate.outputs import read_outputs
from ragate.pipeline.decide.unaffected_verdict import decide_unaffected
from ragate.pipeline.decide_outputs import decide_outputs
from ragate.runtime.resources import Operations


def run_decide(context: Context, announce: Callable[[Target], None]) -> ModeOutcome:
    """Return the verdict on the pull request that the event is about."""
    repository = context.repository
    if repository is None:
        raise UsageError(
            "mode decide reads the base and the pull request by GitHub's API, and has no token",
            remedy="leave github-token at its default",
        )
    if context.event.name == "pull_request_target":
        return hold_verdict(context, repository)
    subject = subject_of(context.event, repository)
    if subject is None:
        return _superseded(context)
    if is_begun(context.event):
        return announced(context, repository, subject, announce)
    with tempfile.TemporaryDirectory(prefix="ragate-base-") as folder:
        gate = _gate(context, repository, subject, Path(folder).resolve(), announce)
        refuse_two_branches(subject.base.head, subject.base_ref, subject.other_refs)
        context.hide(gate.config)
        operations = _operations(context, gate, subject)
        judged = _judge(context, repository, gate, subject, operations)
        if not is_current(context.event, repository, subject):
            return _superseded(context)
        return finished(context, gate, subject.base, judged, operations)


def _superseded(context: Context) -> ModeOutcome:
    context.log.plain(
        "the pull request is closed, or another commit or branch decides by now: nothing to decide"
    )
    return ModeOutcome(said="superseded")


def _gate(
    context: Context,
    repository: Repository,
    subject: PullRequest,
    folder: Path,
    announce: Callable[[Target], None],
) -> Gate:
    place, base = context.bare_place(), subject.base
    policy = policy_files(ApiTree(repository, base.sha), place, folder / "base")
    name = context.inputs.gate
    if policy is not None:
        context.target = Target(name or policy.gate, base.head, subject.number)
        announce(context.target)
    else:
        path = place.at(place.name)
        refuse_side_door(context.event, repository, subject.base_ref, path, read=base.sha)
        if not name:
            raise UsageError(
                "the base has no policy yet, and the pull request's own must not name the status",
                remedy="set the input gate in the workflow of mode decide",
            )
    # As checked out by the first half: a branch may be older than a file that the base has.
    head = policy_files(ApiTree(repository, base.merged or base.head), place, folder / "head")
    if head is None:
        raise ConfigError(f"the change has no {place.at(place.name)}", remedy="put it back")
    gate = compose(policy, head, name=name)
    if context.target is None:
        context.target = Target(gate.config.gate, base.head, subject.number)
        announce(context.target)
    return gate


def _operations(context: Context, gate: Gate, subject: PullRequest) -> Operations:
    operations = replace(context.operations(), commit=subject.base.head)
    if not gate.bootstrap:
        return operations
    # The policy is the pull request's own: no key goes where it says, and none of its code runs.
    _refuse_foreign(gate.config)
    told = "the base has no policy yet, so that no key is used"
    return replace(operations, environment={}, unjudged=told)


def _refuse_foreign(config: Config) -> None:
    for rule in config.policy.metrics:
        if not plugins.is_builtin("metrics", plugins.split_metric(rule.metric)[0]):
            raise UsageError(f"the metric {rule.metric} is code, and the base does not name it")


def _judge(
    context: Context,
    repository: Repository,
    gate: Gate,
    subject: PullRequest,
    operations: Operations,
) -> Judgement:
    origin = Origin()
    if gate.base is not None:
        origin = origin_of(gate.base, gate.config, {})
    if origin.refused:
        return Judgement(blank_report(gate, origin.refused, origin.remedies), origin)
    if gate.proposal is None and not gate.bootstrap and not origin.other:
        found = _unaffected(context, repository, gate, subject, operations)
        if found is not None:
            return Judgement(found, origin)
    collected = foreign_outputs(context.outputs_file, context.workspace)
    paths = measured(collected, gate.config.policy.max_unscored)
    origin = _claimed(paths, gate, origin)
    report = asyncio.run(
        decide_outputs(
            gate.config,
            operations,
            context.selection(),
            paths,
            control=context.control,
            proposal=gate.proposal,
            judge_last=_is_first(context),
            foreign=True,
        )
    )
    return Judgement(report, origin, outputs=outputs_in(collected))


def _is_first(context: Context) -> bool:
    """Whether nobody ran this again: a re-run wants the judged metrics that a first one spares."""
    run = context.event.run
    return context.event.run_attempt < 2 and (run is None or run.attempt < 2)


def _claimed(paths: list[Path], gate: Gate, origin: Origin) -> Origin:
    """Compare the kind of system that the outputs name with the pull request's configuration."""
    uses = {header.manifest.system.use for header, _ in map(read_outputs, paths) if header}
    other = uses - {gate.config.system.use}
    if not other or origin.other:
        return origin
    told = f"the outputs come from {min(other)!r}, [system] names {gate.config.system.use!r}"
    return Origin(other=(told,), remedies=("collect them with the pull request's own [system]",))


def _unaffected(
    context: Context,
    repository: Repository,
    gate: Gate,
    subject: PullRequest,
    operations: Operations,
) -> Report | None:
    """Return the verdict where no changed file is one that the base's policy names."""
    assert gate.base is not None
    base, place = subject.base, context.bare_place()
    if not gate.base.policy.inputs or gate.base.system != gate.config.system:
        return None
    names = api_changed_files(repository, base.sha, base.head)
    if names is None or can_reach(
        names, gate.base, place, base=base, root=None, repository=repository
    ):
        return None
    why = f"none of the {len(names)} changed files is one that [policy] inputs names"
    return asyncio.run(decide_unaffected(gate.config, operations, context.selection(), why=why))
