"""Mode ``check``: run the change's system, and judge it by the base's policy."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from ragate.config import Config, load_config
from ragate.dataset import read_dataset
from ragate.errors import ConfigError, DatasetError, RagateError
from ragate.github.commits.change import (
    Base,
    Change,
    base_of,
    branch_tip,
    other_branches,
    refuse_two_branches,
)
from ragate.github.commits.changed_files import changed_files, copied_answers
from ragate.github.gate.base_rules import Gate
from ragate.github.gate.finalise import ReportDraft
from ragate.github.gate.left_result import result_of_status
from ragate.github.gate.output_provenance import Provenance
from ragate.github.gate.restore import let_prepare, restore_passes
from ragate.github.gate.result_artifact import newest_status
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.change_verdict import judge_change
from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import Repository
from ragate.resources.operations import Operations
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan
from ragate.run.sources import SystemSource

KEPT = "kept"
# What the step ended with; `fail-on` has made the status what it is.
_CODES = {"success": 0, "failure": 1}


def run_check(context: StepContext) -> ModeOutcome:
    """Return the verdict on what is checked out."""
    checked_out = base_of(context.event, context.root(), own_files=context.operations().own_files)
    try:
        change = newest_base(context, checked_out)
    except SupersededError as error:
        return _superseded(context, error)
    if (code := standing_verdict(context, change.base)) is not None:
        context.log.plain("only the title or the text was edited: the verdict stands")
        return ModeOutcome(ended_as=KEPT, exit_code=code)
    return judge_change(context, change, CheckedOutSystem(context, change))


def _superseded(context: StepContext, reason: SupersededError) -> ModeOutcome:
    """Say why there is no verdict; the commit's status is another run's, so none is set."""
    context.log.error(str(reason), title="ragate: no verdict")
    return ModeOutcome(ended_as="superseded", exit_code=reason.exit_code)


@dataclass(frozen=True)
class CheckedOutSystem:
    """Outputs of the system that is checked out, which is run here."""

    context: StepContext
    change: Change

    def configuration(self, _policy: Config | None, _folder: Path) -> Config:
        return head_config(self.context)

    def prepare(self, gate: Gate, operations: Operations) -> Operations:
        head = self.change.base.head
        restore_passes(self.context, gate.config.gate, head, operations)
        let_prepare(self.context, gate.config.gate, head, operations)
        return operations

    def draft(self, gate: Gate, operations: Operations, provenance: Provenance) -> ReportDraft:
        plan = RunPlan(
            gate.config,
            operations,
            SystemSource(),
            self.context.selection(runs=self.context.inputs.runs or 1),
            judge_last=not self.context.event.is_rerun,
        )
        report = asyncio.run(run_gate(plan)).report
        return ReportDraft(report, provenance, self._copied_answers(gate.config))

    def is_current(self) -> bool:
        return True

    def _copied_answers(self, config: Config) -> tuple[str, ...]:
        base, commits = self.change.base, self.change.commits
        changed = changed_files(base, commits)
        if not changed:
            return ()
        try:
            samples = read_dataset(config.dataset)
        except DatasetError:
            return ()
        location = self.context.location(self.change.root)
        return copied_answers(changed, config, samples, commits.tree(base.sha).read, location)


def head_config(context: StepContext) -> Config:
    """Return the configuration of what is checked out.

    Raises:
        ConfigError: it is absent or wrong.
        UsageError: it lies behind a link.
    """
    context.location(context.root())  # where it cannot be, before anything is paid for
    path = context.config_path
    if not path.is_file():
        raise ConfigError(
            f"{path.name}: there is no such file in {context.inputs.working_directory!r}",
            remedy="`ragate init` writes one; the input config names another",
        )
    return load_config(path)


# A pull request whose title or text was edited keeps its verdict: nothing is measured again.
#
# The trigger ``edited`` is there for another base. GitHub sends it for a new title as well, and
# a run for that would be paid for nothing, or draw anew.


def standing_verdict(context: StepContext, base: Base) -> int | None:
    """Return the exit code of the verdict that stands, None where the change is to be judged.

    It stands where the commit's newest status of this gate is one of a run that is kept and that
    judged the very merge that is checked out, against the same base.
    """
    event, repository = context.event, context.repository
    if event.action != "edited" or event.base_changed or event.pull is None or repository is None:
        return None
    try:
        gate, newest = newest_status(context, repository, base)
        code = _CODES.get(str(newest.get("state"))) if newest is not None else None
        if newest is None or code is None:  # pending, or an error that may have passed
            return None
        result = result_of_status(context, repository, gate, base.head, newest)
    except RagateError as error:
        context.log.warning(f"the verdict before the edit could not be read: {error.message}")
        return None
    is_same = result is not None and (result.base, result.merged) == (base.sha, base.merged)
    return code if is_same else None


# Mode ``check``: whose rules decide where the base's branch has moved, or is another by now.
#
# A workflow run keeps its event for good: run again, it judges the merge of that time, though
# the pull request may have been pointed at another branch and that branch may have stricter
# rules.


class SupersededError(RagateError):
    """Another run, of a newer event or of another pull request, sets this commit's status."""


def newest_base(context: StepContext, base: Base) -> Change:
    """Return what is checked out, its base at the tip of the branch where that can be asked for.

    Raises:
        SupersededError: the checked-out merge is with another branch than the pull request's, or
            the commit is proposed to the default branch as well.
        BaseUnreadableError: it is proposed to two branches, and neither is the default one.
    """
    event, repository = context.event, context.repository
    commits = context.commits()
    if event.pull is None or base.trusted:
        group = event.merge_group
        branch = group.base_ref.removeprefix("refs/heads/") if group else event.default_branch
        return Change(base, branch, commits)
    checked_out = Change(base, event.pull.base_ref, commits, event.pull.number)
    if repository is None:
        return checked_out
    try:
        change = _at_tip(repository, checked_out, event.pull.number)
        refs = other_branches(event, repository, base.head, change.branch)
    except GitHubApiError as error:
        context.log.warning(f"whether the base has moved could not be asked: {error.message}")
        return checked_out
    if event.default_branch in refs:
        raise SupersededError(
            f"{base.head[:7]} is also proposed to {event.default_branch!r}, whose rules decide",
            remedy="push another commit to be judged by the rules of this branch",
        )
    refuse_two_branches(base.head, change.branch, refs)
    return change


def _at_tip(repository: Repository, change: Change, number: int) -> Change:
    base = change.base
    branch = str(repository.pull(number)["base"]["ref"])
    tip = branch_tip(repository, branch)
    if not repository.is_ancestor(base.sha, tip):
        raise SupersededError(
            f"the checked-out merge is with {base.sha[:7]}, which is not of the branch {branch!r}",
            remedy="the pull request was pointed at another branch since, or that branch was "
            "rewritten: the newest run judges it, given `types: [opened, synchronize, reopened, "
            "edited]`; else push",
        )
    if tip == base.sha:
        return replace(change, branch=branch)
    warning = (
        f"{branch} has moved from {base.sha[:7]} to {tip[:7]} since this merge: the newer rules "
        "and baseline decide; update the branch to be measured together with what is new there"
    )
    return replace(change, base=replace(base, sha=tip), branch=branch, warnings=(warning,))
