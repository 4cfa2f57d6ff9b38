"""Mode ``command``: obey one ``/ragate …`` comment.

Nothing of a pull request is checked out or run: commands work on what earlier runs stored.
"""

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import ConfigError, ProviderError, RagateError, StorageError, UsageError
from ragate.extension import extensions, loaded
from ragate.github.commits.change import branch_tip
from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.gate.result_artifact import StoredResult, gate_name, open_stored
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.obey import (
    SENTENCE,
    Conversation,
    RefusedError,
    accept,
    open_conversation,
    rerun,
    update_baseline,
    usage,
)
from ragate.github.publish import Announce, Target
from ragate.github.rest.repository import Repository, login_of
from ragate.guards.escape import code
from ragate.models import Report

DONE = "obeyed"
NOTHING = "nothing"
# What its author can act on is told in a reply; what is out of order fails the job.
_TOLD = (RefusedError, ConfigError, ProviderError, StorageError, BaseUnreadableError)


@dataclass(frozen=True)
class CommentRequest:
    """A comment that is to be obeyed, and what that needs.

    Attributes:
        gate: The name of the gate that it is for.
        folder: What is fetched may lie here until the end.
        tip: The newest commit of the base's branch, whose policy allows.
    """

    context: StepContext
    repository: Repository
    talk: Conversation
    gate: str
    folder: Path
    tip: str

    def stored(self) -> StoredResult:
        """Return the newest result of the commit that the comment names.

        Raises:
            RefusedError: none is stored.
        """
        head = self.talk.head
        found = open_stored(
            self.context, self.repository, self.gate, head, self.folder, tip=self.tip
        )
        if found is None:
            raise RefusedError(
                f"No result of the gate {self.gate} is stored for {head[:7]}: let its check "
                "finish first, or run it again."
            )
        return found


def run_command(context: StepContext, announce: Announce) -> ModeOutcome:  # noqa: ARG001
    """Obey the event's comment; the outcome's report, if there is one, is to be published.

    Raises:
        GitHubApiError: it is not known whether the author may, or the API is out: nothing, or not
            all, was done.
        UsageError: the event is no comment, or there is no token.
    """
    repository = context.repository
    if repository is None:
        raise UsageError(
            "mode command needs a github-token", remedy="leave the input at its default"
        )
    talk = open_conversation(repository, context.event, login_of(repository.api), context.log.plain)
    if talk is None:
        return ModeOutcome(ended_as=NOTHING)
    try:
        with context.scratch() as folder:
            report = _obey(context, repository, talk, folder)
    except _TOLD as error:
        talk.reply([_sentence(error)])
        return ModeOutcome(ended_as=NOTHING)
    target = Target(report.gate, report.head, talk.number) if report is not None else None
    return ModeOutcome(report=report, ended_as=DONE, target=target)


def _obey(
    context: StepContext, repository: Repository, talk: Conversation, folder: Path
) -> Report | None:
    verb = talk.command.verb
    if verb == "help":
        talk.reply([usage()])
        return None
    tip = branch_tip(repository, str(talk.pull["base"]["ref"]))
    gate = gate_name(context, repository, tip, folder / "named")
    if talk.command.gate not in ("", gate):
        context.log.plain(f"the command is for the gate {talk.command.gate}, this is {gate}")
        return None
    if verb == "rerun":
        rerun(talk, gate)
        return None
    request = CommentRequest(context, repository, talk, gate, folder, tip)
    if verb == "accept":
        return accept(talk, request.stored())
    if verb == "update-baseline":
        main = context.event.default_branch
        return update_baseline(talk, request.stored(), context.location(None), default_branch=main)
    for each in extensions():
        if brought := each.comment_commands.get(verb):
            loaded(each, brought.path)(request)
    return None


def _sentence(error: RagateError) -> str:
    remedy = f" {code(error.remedy, SENTENCE)}" if error.remedy else ""
    return f"Nothing done: {code(error.message, SENTENCE)}{remedy}"
