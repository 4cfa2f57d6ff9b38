"""Mode ``decide``: judge outputs that a job without keys collected. No checkout, nothing is run."""

import asyncio
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError, DatasetError, RagateError, UsageError
from ragate.files.foreign_files import is_there
from ragate.github.commits.change import (
    Base,
    Change,
    branch_tip,
    collected_change,
    is_current,
    other_branches,
    pulls_from_here,
)
from ragate.github.commits.commit_tree import Commits
from ragate.github.gate.base_rules import Gate
from ragate.github.gate.earlier_attempts import outputs_in
from ragate.github.gate.finalise import ReportDraft
from ragate.github.gate.left_result import result_of_status
from ragate.github.gate.output_provenance import Provenance
from ragate.github.gate.pending_status import announce_pending, is_begun
from ragate.github.gate.result_artifact import is_of_branch, newest_status
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.change_verdict import judge_change, superseded
from ragate.github.rest.repository import Json, Repository
from ragate.outputs.outputs_file import read_outputs
from ragate.outputs.recorded_output import RecordedOutput
from ragate.outputs.shards import shards_among
from ragate.resources.operations import Operations
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan
from ragate.run.sources import FilesSource

# The events by which a commit that was judged already gets to another branch.
_ARRIVALS = frozenset({"opened", "reopened"})


def run_decide(context: StepContext) -> ModeOutcome:
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
    if change is None or is_anothers(context, repository, change):
        return superseded(context)
    if is_begun(context.event):
        return announce_pending(context, repository, change)
    return judge_change(context, change, CollectedOutputs(context, change, repository))


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
        head = self.context.policy_at(self.repository, commit, folder / "head")
        if head is None:
            path = self.context.location(None).path
            raise ConfigError(f"the change has no {path}", remedy="put it back")
        return head

    def prepare(self, gate: Gate, operations: Operations) -> Operations:
        if not gate.bootstrap:
            return operations
        # The policy is the pull request's own: no key goes where it says, none of its code runs.
        _refuse_own_code(gate.config)
        why = "the base has no policy yet, so that no key is used"
        return replace(operations, environment={}, unjudged=why)

    def draft(self, gate: Gate, operations: Operations, provenance: Provenance) -> ReportDraft:
        collected = untrusted_outputs(self.context.outputs_file, self.context.workspace)
        paths = attempts_that_count(collected, gate.config.policy.max_unscored)
        provenance = _with_claims(paths, gate, provenance)
        plan = RunPlan(
            gate.config,
            operations,
            FilesSource(paths, foreign=True),
            self.context.selection(),
            command="decide",
            judge_last=not self.context.event.is_rerun,
        )
        report = asyncio.run(run_gate(plan)).report
        return ReportDraft(report, provenance, outputs=outputs_in(collected), files=tuple(paths))

    def is_current(self) -> bool:
        context, repository, change = self.context, self.repository, self.change
        stays = is_current(context.event, repository, change)
        return stays and not is_anothers(context, repository, change)


def _refuse_own_code(config: Config) -> None:
    """Raise where a policy names code for the gate itself, and nobody has looked at it yet."""
    for rule in config.policy.metrics:
        if not plugins.is_builtin_metric(rule.metric):
            raise ConfigError(f"the metric {rule.metric} is code that the base does not name")


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


# Whether a commit's verdict holds for another pull request that proposes the same commit.
#
# The half that collects is the change's own workflow, so a change can have it run for one
# branch and not for the next: a verdict from before a pull request came to a branch waits for a
# new one. It does not wait where a pull request of this repository got it for the same branch,
# else anybody could take a green status back by proposing its commit from a fork.


def hold_verdict(context: StepContext, repository: Repository) -> ModeOutcome:
    """Set the status back to pending where it was given before the pull request came here.

    This answers ``pull_request_target`` in the default branch's workflow: nothing is checked out,
    and no outputs are read.

    Raises:
        GitHubApiError: the API is out; the status stands.
    """
    event = context.event
    arrived = event.action in _ARRIVALS or (event.action == "edited" and event.base_changed)
    if event.pull is None or not arrived:
        return _untouched(context)
    head, branch = event.pull.head_sha, event.pull.base_ref
    if event.default_branch in other_branches(event, repository, head, branch):
        return _untouched(context)
    tip = branch_tip(repository, branch)
    base = Base(tip, head, "", trusted=False)
    change = Change(base, branch, Commits(None, repository), event.pull.number)
    gate, newest = newest_status(context, repository, change.base)
    if newest is None or newest["state"] == "pending" or not _is_older(newest, context):
        return _untouched(context)
    try:
        others = {*pulls_from_here(repository, head, branch)} - {event.pull.number}
        if others and _is_green_by(others, context, repository, change, gate, newest):
            return _untouched(context)
    except RagateError as error:
        context.log.warning(f"whose verdict it is could not be asked: {error.message}")
    waiting = f"waits for outputs that are collected against {branch}"
    repository.set_status(head, "pending", f"ragate/{gate}", waiting, event.run_url)
    context.log.plain(f"the verdict on {head[:7]} was given for another branch or time: {waiting}")
    return ModeOutcome(ended_as="superseded")


def is_anothers(context: StepContext, repository: Repository, change: Change) -> bool:
    """Return whether a fork's run is about a commit that a pull request from here made green.

    What a fork's run collects does not replace that verdict. False where it cannot be asked.
    """
    try:
        pulls = {*pulls_from_here(repository, change.base.head, change.branch)}
        if not pulls or change.number is None or change.number in pulls:
            return False
        gate, newest = newest_status(context, repository, change.base)
        green = newest is not None and _is_green_by(
            pulls, context, repository, change, gate, newest
        )
    except RagateError as error:
        context.log.warning(f"whose verdict it is could not be asked: {error.message}")
        return False
    return green


def _is_green_by(
    pulls: set[int],
    context: StepContext,
    repository: Repository,
    change: Change,
    gate: str,
    status: Json,
) -> bool:
    """Return whether a status is green by the run of one of these pull requests, for the branch.

    Only what the run itself left says whose it was: a pull request that is open may have had
    another verdict, or none.
    """
    if status["state"] != "success":
        return False
    result = result_of_status(context, repository, gate, change.base.head, status)
    if result is None or result.pull not in pulls:
        return False
    return is_of_branch(repository, result, change.base.sha)


def _untouched(context: StepContext) -> ModeOutcome:
    context.log.plain("there is no verdict to take back")
    return ModeOutcome(ended_as="superseded")


def _is_older(status: Json, context: StepContext) -> bool:
    """Whether a status is from before the event; what is not known counts as older."""
    assert context.event.pull is not None
    when, event = str(status.get("created_at") or ""), context.event.pull.updated_at
    return not (when and event) or when <= event


# Files that another job left: regular ones, inside the workspace, below a size; never followed.


MAX_BYTES = 256 * 1024 * 1024  # of one file
MOST_BYTES = 2 * 1024**3  # of all together
MOST_FILES = 256  # jobs of one matrix


def untrusted_outputs(path: Path, workspace: Path) -> list[Path]:
    """Return the outputs files at `path`: the file itself, or those of a folder.

    Raises:
        DatasetError: there is none, or one is a link, no regular file, or too large.
    """
    _refuse_links(path, workspace)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix == ".jsonl")
    else:
        files = [path]
    if not files or not is_there(files[0], error=DatasetError):
        raise DatasetError(
            f"{path.name}: there are no outputs",
            remedy="download the collecting job's artifact to outputs-path; if that job failed, "
            "its own log says why",
        )
    if len(files) > MOST_FILES:
        raise DatasetError(f"{path.name}: more than {MOST_FILES} files of outputs")
    sizes = [_size(file) for file in files]
    if max(sizes) > MAX_BYTES or sum(sizes) > MOST_BYTES:
        raise DatasetError(
            f"{path.name}: {sum(sizes)} bytes of outputs; one file may have {MAX_BYTES}, all "
            f"together {MOST_BYTES}"
        )
    return files


def attempts_that_count(files: list[Path], max_unmeasured: float) -> list[Path]:
    """Return the files of attempts that count, or all where none does, or they are shards.

    What an earlier attempt could not measure, for want of a key or of a model's reply, a later one
    measures. One that measured enough is evidence and stays, whatever it shows.

    Args:
        max_unmeasured: Share of outputs that may be unmeasured: ``max_unscored`` of the policy.
    """
    if shards_among(files) is not None:
        return files
    return [file for file in files if _unmeasured_share(file) <= max_unmeasured] or files


def _unmeasured_share(file: Path) -> float:
    lost = [_is_unmeasured(line) for _, line in read_outputs(file)[1]]
    return sum(lost) / len(lost) if lost else 1.0


def _is_unmeasured(line: RecordedOutput) -> bool:
    error = line.output().error
    return error is not None and error.kind == "provider"


def _size(file: Path) -> int:
    facts = file.lstat()
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
        raise DatasetError(f"{file.name}: not a regular file of its own")
    return facts.st_size


def _refuse_links(path: Path, workspace: Path) -> None:
    if not path.is_relative_to(workspace):
        raise DatasetError(f"outputs-path {path.name!r} is outside of the workspace")
    for step in (path, *path.parents):
        if step == workspace:
            return
        if step.is_symlink():
            raise DatasetError(f"outputs-path: {step.name!r} is a link, which is not followed")
