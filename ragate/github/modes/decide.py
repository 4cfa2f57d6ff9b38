"""Mode ``decide``: judge outputs that a job without keys collected. No checkout, nothing is run."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError, UsageError
from ragate.github.commits.change import Change, collected_change, is_current
from ragate.github.commits.commit_tree import ApiTree
from ragate.github.commits.policy_files import policy_files
from ragate.github.gate.earlier_attempts import outputs_in
from ragate.github.gate.finalise import ReportDraft
from ragate.github.gate.held_verdict import hold_verdict
from ragate.github.gate.output_provenance import Provenance
from ragate.github.gate.pending_status import announce_pending, is_begun
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.gate.two_verdicts import Gate
from ragate.github.gate.untrusted_files import attempts_that_count, untrusted_outputs
from ragate.github.modes.change_verdict import judge_change, superseded
from ragate.github.publish.target import Announce
from ragate.github.rest.repository import Repository
from ragate.outputs.outputs_file import read_outputs
from ragate.pipeline.decide.gate_setup import load_samples
from ragate.pipeline.decide_outputs import decide_outputs
from ragate.pipeline.shards.merge import ShardMerge
from ragate.pipeline.shards.shard_file import Wanted
from ragate.pipeline.shards.split import placed
from ragate.runtime.operations import Operations


def run_decide(context: StepContext, announce: Announce) -> ModeOutcome:
    """Return the verdict on the pull request that the event is about."""
    repository = context.repository
    if repository is None:
        raise UsageError(
            "mode decide reads the base and the pull request by GitHub's API, and has no token",
            remedy="leave github-token at its default",
        )
    if context.event.name == "pull_request_target":
        return hold_verdict(context, repository)
    change = collected_change(context.event, repository)
    if change is None:
        return superseded(context)
    if is_begun(context.event):
        return announce_pending(context, repository, change, announce)
    return judge_change(context, change, CollectedOutputs(context, change, repository), announce)


@dataclass(frozen=True)
class CollectedOutputs:
    """Outputs that another job collected: files of a stranger's, of which nothing is believed."""

    context: StepContext
    change: Change
    repository: Repository

    def configuration(self, policy: Config | None, folder: Path) -> Config:
        if policy is None and not self.context.inputs.gate:
            raise UsageError(
                "the base has no policy yet, and the pull request's own must not name the status",
                remedy="set the input gate in the workflow of mode decide",
            )
        # As checked out by the first half: a branch may be older than a file that the base has.
        commit = self.change.base.merged or self.change.base.head
        location = self.context.location(None)
        head = policy_files(ApiTree(self.repository, commit), location, folder / "head")
        if head is None:
            raise ConfigError(f"the change has no {location.path}", remedy="put it back")
        return head

    def prepare(self, gate: Gate, operations: Operations) -> Operations:
        if not gate.bootstrap:
            return operations
        # The policy is the pull request's own: no key goes where it says, none of its code runs.
        _refuse_foreign(gate.config)
        why = "the base has no policy yet, so that no key is used"
        return replace(operations, environment={}, unjudged=why)

    def draft(self, gate: Gate, operations: Operations, provenance: Provenance) -> ReportDraft:
        shards = self.context.inputs.shards
        place, workspace = self.context.outputs_file, self.context.workspace
        collected = untrusted_outputs(place, workspace, shards=shards or 0)
        most = gate.config.policy.max_unscored
        wanted = None if shards is None else self._wanted(gate.config, shards)
        planned = None if wanted is None else len(wanted.samples)
        paths = attempts_that_count(collected, most, planned=planned)
        merge = None if wanted is None else ShardMerge(paths, wanted)
        provenance = _with_claims(paths, gate, provenance)
        report = asyncio.run(
            decide_outputs(
                gate.config,
                operations,
                self.context.selection(),
                paths,
                proposal=gate.proposal,
                judge_last=not self.context.event.is_rerun,
                foreign=True,
                shards=merge,
            )
        )
        return ReportDraft(report, provenance, outputs=outputs_in(collected), files=tuple(paths))

    def _wanted(self, config: Config, shards: int) -> Wanted:
        """Return what the shards have to be parts of, by the base's own questions."""
        samples = load_samples(config, self.context.selection().filters)
        head = self.change.base.head
        return Wanted(shards, head, placed(samples, shards, config.policy.cluster))

    def is_current(self) -> bool:
        return is_current(self.context.event, self.repository, self.change)


def _refuse_foreign(config: Config) -> None:
    for rule in config.policy.metrics:
        if not plugins.is_builtin("metrics", plugins.split_metric(rule.metric)[0]):
            raise UsageError(f"the metric {rule.metric} is code, and the base does not name it")


def _with_claims(paths: list[Path], gate: Gate, provenance: Provenance) -> Provenance:
    """Compare the kind of system that the outputs name with the pull request's configuration."""
    claimed = {header.manifest.system.use for header, _ in map(read_outputs, paths) if header}
    unnamed = claimed - {gate.config.system.use}
    if not unnamed or provenance.other_system:
        return provenance
    return Provenance(
        other_system=(
            f"the outputs come from {min(unnamed)!r}, [system] names {gate.config.system.use!r}",
        ),
        remedies=("collect them with the pull request's own [system]",),
    )
