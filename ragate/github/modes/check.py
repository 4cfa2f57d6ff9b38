"""Mode ``check``: run the change's system, and judge it by the base's policy."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config, load_config
from ragate.dataset import read_dataset
from ragate.errors import ConfigError, DatasetError
from ragate.github.commits.base_commit import base_of
from ragate.github.commits.change import Change
from ragate.github.commits.changed_files import changed_files, copied_answers
from ragate.github.commits.commit_tree import tree_of
from ragate.github.gate.edited_pull import KEPT, standing_verdict
from ragate.github.gate.finalise import ReportDraft
from ragate.github.gate.moved_base import SupersededError, newest_base
from ragate.github.gate.output_provenance import Provenance
from ragate.github.gate.restore import restore_passes, restore_replies
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.gate.two_verdicts import Gate
from ragate.github.modes.change_verdict import judge_change
from ragate.github.publish.target import Announce
from ragate.pipeline.line import check
from ragate.runtime.operations import Operations


def run_check(context: StepContext, announce: Announce) -> ModeOutcome:
    """Return the verdict on what is checked out."""
    root = context.root()
    checked_out = base_of(context.event, root, own_files=context.operations().own_files)
    try:
        change = newest_base(context, checked_out, root)
    except SupersededError as error:
        return _superseded(context, error)
    if (code := standing_verdict(context, change.base)) is not None:
        context.log.plain("only the title or the text was edited: the verdict stands")
        return ModeOutcome(ended_as=KEPT, exit_code=code)
    return judge_change(context, change, CheckedOutSystem(context, change, root), announce)


def _superseded(context: StepContext, reason: SupersededError) -> ModeOutcome:
    """Say why there is no verdict; the commit's status is another run's, so none is set."""
    context.log.error(str(reason), title="ragate: no verdict")
    return ModeOutcome(ended_as="superseded", exit_code=reason.exit_code)


@dataclass(frozen=True)
class CheckedOutSystem:
    """Outputs of the system that is checked out, which is run here."""

    context: StepContext
    change: Change
    root: Path

    def configuration(self, _policy: Config | None, _folder: Path) -> Config:
        return head_config(self.context)

    def prepare(self, gate: Gate, operations: Operations) -> Operations:
        head = self.change.base.head
        restore_passes(self.context, gate.config.gate, head, operations)
        restore_replies(self.context, gate.config.gate, head, operations)
        return operations

    def draft(self, gate: Gate, operations: Operations, provenance: Provenance) -> ReportDraft:
        report = asyncio.run(
            check(
                gate.config,
                operations,
                self.context.selection(runs=self.context.inputs.runs or 1),
                proposal=gate.proposal,
                judge_last=not self.context.event.is_rerun,
            )
        )
        return ReportDraft(report, provenance, self._copied_answers(gate.config))

    def is_current(self) -> bool:
        return True

    def _copied_answers(self, config: Config) -> tuple[str, ...]:
        base, repository = self.change.base, self.context.repository
        changed = changed_files(base, self.root, repository)
        if not changed:
            return ()
        try:
            samples = read_dataset(config.dataset)
        except DatasetError:
            return ()
        tree = tree_of(base.sha, self.root, repository)
        return copied_answers(changed, config, samples, tree, self.context.location(self.root))


def head_config(context: StepContext) -> Config:
    """Return the configuration of what is checked out.

    Raises:
        ConfigError: it is absent or wrong.
    """
    path = context.config_path
    if not path.is_file():
        raise ConfigError(
            f"{path.name}: there is no such file in {context.inputs.working_directory!r}",
            remedy="`ragate init` writes one; the input config names another",
        )
    return load_config(path)
